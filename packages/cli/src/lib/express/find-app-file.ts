import { existsSync, readFileSync } from 'node:fs'
import { dirname, join, relative, resolve, sep } from 'node:path'
import { CliError } from '../errors/cli-error.ts'

export interface AppFile {
  /** Folder with the nearest `package.json`. */
  readonly root: string
  /** Absolute path. */
  readonly file: string
  /** Path in the root, with `/`. */
  readonly path: string
}

const folders = ['src', '', 'app', 'server', 'lib']
const names = ['app', 'server', 'index', 'main']
const extensions = ['ts', 'js', 'mjs', 'cjs', 'mts', 'cts']

// The file of an Express application: the one that is named, or the first of the usual ones that exists.
export function findAppFile(cwd: string, named: string | true): AppFile {
  const file = named === true ? findUsual(findRoot(cwd), cwd) : resolve(cwd, named)
  if (!existsSync(file)) throw new CliError('USAGE', `${String(named)} does not exist`)
  const root = findRoot(dirname(file))
  return { root, file, path: relative(root, file).split(sep).join('/') }
}

function findRoot(from: string): string {
  for (let folder = resolve(from); ; folder = dirname(folder)) {
    if (existsSync(join(folder, 'package.json'))) return folder
    if (dirname(folder) === folder) break
  }
  throw new CliError('USAGE', `${from} has no package.json, and neither has a folder above it`, {
    hint: 'run this in the folder of the Express application: --cwd <dir>',
  })
}

function findUsual(root: string, cwd: string): string {
  const usual = folders.flatMap((folder) =>
    names.flatMap((name) => extensions.map((extension) => join(folder, `${name}.${extension}`))),
  )
  const found = [...usual, ...readMain(root)].find((path) => existsSync(join(root, path)))
  if (found !== undefined) return join(root, found)
  throw new CliError('USAGE', `no file of ${cwd} looks like an Express application`, {
    hint: 'name the file that creates, exports or starts it: --express <file>',
  })
}

function readMain(root: string): readonly string[] {
  const { main }: { main?: unknown } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  return typeof main === 'string' ? [main] : []
}
