import { spawn } from 'node:child_process'
import { CliError } from '../errors/cli-error.ts'
import { cleaned, type GitEnvironment } from '../create/git.ts'

export interface GitOutput {
  readonly code: number
  readonly stdout: Buffer
  readonly stderr: string
}

export type Git = (args: readonly string[], input?: string) => Promise<GitOutput>

// Runs git in a folder, in no language but English and without prompts.
export function createGit(cwd: string, env: GitEnvironment): Git {
  const settings = {
    ...cleaned(env),
    LC_ALL: 'C',
    GIT_TERMINAL_PROMPT: '0',
    GIT_OPTIONAL_LOCKS: '0',
  }
  return (args, input = '') =>
    new Promise((done, fail) => {
      const child = spawn('git', args, { cwd, env: settings, stdio: 'pipe', shell: false })
      const stdout: Buffer[] = []
      const stderr: Buffer[] = []
      child.stdout.on('data', (chunk: Buffer) => stdout.push(chunk))
      child.stderr.on('data', (chunk: Buffer) => stderr.push(chunk))
      child.on('error', (cause) => fail(toMissingGit(cause)))
      child.on('close', (code) =>
        done({
          code: code ?? 255,
          stdout: Buffer.concat(stdout),
          stderr: Buffer.concat(stderr).toString('utf8').trim(),
        }),
      )
      // It may exit before it has read everything; its exit code says so.
      child.stdin.on('error', () => undefined)
      child.stdin.end(input)
    })
}

function toMissingGit(cause: unknown): CliError {
  return new CliError('GIT_FAILED', 'git is needed to merge files, and it could not be started', {
    hint: 'install git and try again; nothing was written',
    cause,
  })
}

export function listLines({ stdout }: GitOutput, separator = '\n'): readonly string[] {
  return stdout
    .toString('utf8')
    .split(separator)
    .filter((line) => line !== '')
}
