import { lstatSync, readdirSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { CliError } from '../errors/cli-error.ts'
import { draftSuffix } from '../files/apply.ts'
import { isErrno } from '../files/plan.ts'

// Files of an empty repository.
const permitted = /^(\.git|license(\..*)?|readme(\..*)?)$/i

// The target or one of its parents must not be a file or a broken link.
export function requireFolderPlace(target: string): void {
  let path = target
  while (!exists(path)) path = dirname(path)
  const stats = statSync(path, { throwIfNoEntry: false })
  if (stats?.isDirectory()) return
  const what = stats === undefined ? 'a broken symbolic link' : 'a file'
  throw new CliError('TARGET_NOT_EMPTY', `${path} is ${what}; nothing was written`, {
    hint: 'choose another folder',
    files: [path],
  })
}

// A broken symbolic link exists, too.
function exists(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) !== undefined
  } catch (error) {
    if (isErrno(error, 'ENOTDIR')) return false
    throw error
  }
}

export function requireEmptyTarget(target: string, dir: string): void {
  if (statSync(target, { throwIfNoEntry: false }) === undefined) return
  const obstacles = readdirSync(target).filter(
    (name) => !permitted.test(name) && !isLeftOver(join(target, name)),
  )
  if (obstacles.length === 0) return
  const listed = obstacles.slice(0, 10).map((name) => `  ${name}`)
  if (obstacles.length > 10) listed.push(`  … and ${obstacles.length - 10} more`)
  throw new CliError('TARGET_NOT_EMPTY', `${dir} is not empty; nothing was written`, {
    details: listed,
    hint: 'to write into it without deleting anything: --force',
    files: obstacles,
  })
}

// A killed run leaves drafts, the lock and the folders that it created for them.
function isLeftOver(path: string): boolean {
  if (path.endsWith(draftSuffix) || path.endsWith(join('.api', 'lock'))) return true
  if (!lstatSync(path).isDirectory()) return false
  return readdirSync(path).every((entry) => isLeftOver(join(path, entry)))
}
