import { lstatSync, readFileSync, realpathSync, statSync } from 'node:fs'
import { basename, dirname, isAbsolute, join, relative, sep } from 'node:path'
import { CliError } from '../errors/cli-error.ts'
import { type Action, type Change, type FileEncoding, type WantedFile } from './change.ts'

// Reads, never writes.
export function planChanges(root: string, files: readonly WantedFile[]): readonly Change[] {
  return files.map((file) => {
    const target = resolveTarget(root, file.path)
    const encoding = file.kind === 'delete' ? undefined : file.encoding
    const before = readText(target, encoding)
    const after = file.kind === 'delete' ? undefined : file.text
    return { ...describe(file), action: classify(file, before), target, before, after }
  })
}

export function readText(path: string, encoding: FileEncoding = 'utf8'): string | undefined {
  try {
    return readFileSync(path, encoding)
  } catch (error) {
    if (isErrno(error, 'ENOENT') || isErrno(error, 'ENOTDIR')) return undefined
    if (isErrno(error, 'EISDIR')) {
      throw new CliError('CONFLICT', `${path} is a folder, but must be a file`)
    }
    throw error
  }
}

export function isErrno(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code
}

function describe(file: WantedFile): Partial<Change> & Pick<Change, 'path'> {
  if (file.kind === 'write') return { path: file.path, mode: file.mode, encoding: file.encoding }
  if (file.kind === 'edit') {
    const { detail, encoding, mode, path, quiet } = file
    return { path, detail, quiet, mode, encoding }
  }
  return { path: file.path, quiet: file.quiet }
}

function classify(file: WantedFile, before: string | undefined): Action {
  if (file.kind === 'delete') return before === undefined ? 'unchanged' : 'delete'
  if (file.kind === 'edit') return before === file.text ? 'unchanged' : 'update'
  if (before === undefined) return 'create'
  return before === file.text ? 'identical' : 'conflict'
}

function resolveTarget(root: string, path: string): string {
  const base = realpathOf(root)
  const target = realpathOf(join(root, path))
  const inside = relative(base, target)
  if (inside === '' || inside === '..' || inside.startsWith(`..${sep}`) || isAbsolute(inside)) {
    throw new CliError('OUTSIDE_PROJECT', `${path} leads out of the project; nothing was written`, {
      hint: 'a symbolic link in this path points out of the project',
      files: [path],
    })
  }
  return target
}

// Resolves the part of a path that exists and appends the rest.
function realpathOf(path: string): string {
  try {
    return realpathSync(path)
  } catch (error) {
    if (isErrno(error, 'ENOTDIR')) {
      const file = dirname(path)
      throw new CliError('CONFLICT', `${file} is a file, but must be a folder`)
    }
    if (!isErrno(error, 'ENOENT')) throw error
    if (isDangling(path)) {
      throw new CliError('OUTSIDE_PROJECT', `${path} is a broken symbolic link`, {
        cause: error,
      })
    }
    const parent = dirname(path)
    return parent === path ? path : join(realpathOf(parent), basename(path))
  }
}

function isDangling(path: string): boolean {
  return (
    lstatSync(path, { throwIfNoEntry: false }) !== undefined &&
    statSync(path, { throwIfNoEntry: false }) === undefined
  )
}
