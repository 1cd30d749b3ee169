import { existsSync } from 'node:fs'
import { dirname } from 'node:path'
import { version } from '../package/own-package.ts'
import { runProgram, type SpawnOptions, withoutVariables } from './spawn.ts'

export type GitResult =
  | { readonly status: 'committed' }
  | { readonly status: 'initialized'; readonly reason: string }
  | { readonly status: 'skipped'; readonly reason: string }
  | { readonly status: 'failed'; readonly reason: string }

export type GitEnvironment = SpawnOptions['env']

export async function initializeGit(root: string, env: GitEnvironment): Promise<GitResult> {
  const git = (...args: string[]) => runProgram('git', args, { cwd: root, env: cleaned(env) })
  if ((await git('--version')).code !== 0) {
    return { status: 'skipped', reason: 'git is not installed' }
  }
  if (await isInWorkTree(dirname(root), env)) {
    return { status: 'skipped', reason: 'the folder is inside a repository' }
  }
  const isNew = (await git('rev-parse', '--git-dir')).code !== 0
  if (!isNew) return { status: 'skipped', reason: 'the folder is already a repository' }
  const init = await git('init', '--quiet', '--initial-branch=main')
  if (init.code !== 0) return { status: 'failed', reason: init.output.trim() }
  if ((await git('config', 'user.email')).output.trim() === '') {
    return { status: 'initialized', reason: 'no commit: user.email is not set in git' }
  }
  const add = await git('add', '--all')
  const message = `Initial commit from create-api ${version}`
  const commit = await git('commit', '--quiet', '--no-verify', '--message', message)
  const failed = [add, commit].find(({ code }) => code !== 0)
  if (failed !== undefined) return { status: 'failed', reason: failed.output.trim() }
  return { status: 'committed' }
}

// Adds the lockfile of an installation to the first commit.
export async function amendFirstCommit(root: string, env: GitEnvironment): Promise<void> {
  const options = { cwd: root, env: cleaned(env) }
  await runProgram('git', ['add', '--all'], options)
  await runProgram('git', ['commit', '--quiet', '--no-verify', '--amend', '--no-edit'], options)
}

async function isInWorkTree(folder: string, env: GitEnvironment): Promise<boolean> {
  let cwd = folder
  while (!existsSync(cwd)) cwd = dirname(cwd)
  const args = ['rev-parse', '--is-inside-work-tree']
  const { code, output } = await runProgram('git', args, { cwd, env: cleaned(env) })
  return code === 0 && output.trim() === 'true'
}

// False if git or the repository is missing.
export async function isCommitted(
  root: string,
  path: string,
  env: GitEnvironment,
): Promise<boolean> {
  const options = { cwd: root, env: cleaned(env) }
  const { code } = await runProgram('git', ['cat-file', '-e', `HEAD:./${path}`], options)
  return code === 0
}

// Inside a git hook these refer to another repository.
export function cleaned(env: GitEnvironment): GitEnvironment {
  return withoutVariables(env, /^GIT_(DIR|WORK_TREE|INDEX_FILE|PREFIX)$/)
}
