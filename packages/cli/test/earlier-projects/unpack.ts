import { execFileSync } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { createTemporaryFolder } from '../run-program.ts'

/** Commits of this repository whose generator wrote the projects beside this file. */
export const earlierCommits = ['7e3f1c9', 'b5d9526', '42fa3ce', '845a35c'] as const

export type EarlierCommit = (typeof earlierCommits)[number]

const resources = [
  ['posts', 'title:string', 'body:text', 'tags:array:string'],
  ['notes', 'text:text:optional', 'done:boolean:default=false', '--access', 'owner'],
  ['comments', 'body:text', 'note:ref:Note', '--under', 'posts', '--access', 'owner'],
] as const

/** The resources of an earlier project, as arguments of `api generate resource`. */
export function resourcesOfEarlier(commit: EarlierCommit): readonly (readonly string[])[] {
  return resources.filter(
    ([name]) => `src/resources/${name}/${name}.model.ts` in readEarlier(commit),
  )
}

export interface EarlierOptions {
  readonly folder?: string
  /** Files that the generator would have written in another way. */
  readonly generated?: Readonly<Record<string, string>>
}

/** Writes a project of an earlier generator as its user has it: in its own repository. */
export function unpackEarlier(commit: EarlierCommit, options: EarlierOptions = {}): string {
  const { folder = 'my-service', generated } = options
  const root = join(createTemporaryFolder(), folder)
  const files = { ...readEarlier(commit), ...generated }
  const isLater = (path: string): boolean => path.startsWith('src/resources/')
  for (const [path, text] of Object.entries(files)) write(root, path, text)
  // Resources are generated after the first commit, which has an empty registry.
  const registry = files['src/routes.ts'] ?? ''
  write(root, 'src/routes.ts', registry.replaceAll(/^.*(posts|notes|comments).*\n/gm, ''))
  initialise(root)
  const first = Object.keys(files).filter((path) => !isLater(path))
  git(root, 'add', '--', ...first)
  git(root, 'commit', '--quiet', '--message', 'Initial commit from create-api 0.1.0')
  write(root, 'src/routes.ts', registry)
  commitAll(root, 'Add resources')
  return root
}

/** Path to text. */
export function readEarlier(commit: EarlierCommit): Readonly<Record<string, string>> {
  const bytes = gunzipSync(readFileSync(new URL(`${commit}.json.gz`, import.meta.url)))
  const files: Record<string, string> = JSON.parse(bytes.toString('utf8'))
  return files
}

export function initialise(root: string): void {
  git(root, 'init', '--quiet', '--initial-branch=main')
  git(root, 'config', 'user.email', 'ada@example.com')
  git(root, 'config', 'user.name', 'Ada')
  git(root, 'config', 'core.autocrlf', 'false')
}

export function commitAll(root: string, message = 'Edit'): void {
  git(root, 'add', '--all')
  git(root, 'commit', '--quiet', '--allow-empty', '--message', message)
}

export function git(cwd: string, ...args: readonly string[]): string {
  return execFileSync('git', args, { cwd, encoding: 'utf8' })
}

export function write(root: string, path: string, text: string): void {
  mkdirSync(dirname(join(root, path)), { recursive: true })
  writeFileSync(join(root, path), text)
}
