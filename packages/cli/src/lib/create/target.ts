import { lstatSync, readdirSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { CliError } from '../errors.ts'
import { isErrno } from '../files/plan.ts'

// A repository somebody made before the code.
const harmless = /^(\.git|license(\..*)?|readme(\..*)?)$/i

/**
 * Refuses a target that cannot be a folder, because a file or a link to nothing is in its place or
 * on its way.
 *
 * @param target absolute path
 * @throws CliError `TARGET_NOT_EMPTY` that names what is in the way
 */
export function requireFolderPlace(target: string): void {
  let path = target
  while (!exists(path)) path = dirname(path)
  const stats = statSync(path, { throwIfNoEntry: false })
  if (stats?.isDirectory()) return
  const what = stats === undefined ? 'a symbolic link to nothing' : 'a file'
  throw new CliError('TARGET_NOT_EMPTY', `${path} is ${what}; nothing was written`, {
    hint: 'choose another folder',
    files: [path],
  })
}

// Also a link to nothing does.
function exists(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) !== undefined
  } catch (error) {
    if (isErrno(error, 'ENOTDIR')) return false
    throw error
  }
}

/**
 * Refuses a target folder that holds something.
 *
 * @param target absolute path of a folder, or of nothing
 * @param shown the path as the user knows it
 * @throws CliError `TARGET_NOT_EMPTY` that lists what is in the way
 */
export function requireEmptyTarget(target: string, shown: string): void {
  if (statSync(target, { throwIfNoEntry: false }) === undefined) return
  const inTheWay = readdirSync(target).filter((name) => !harmless.test(name) && !isOurLock(name))
  if (inTheWay.length === 0) return
  const listed = inTheWay.slice(0, 10).map((name) => `  ${name}`)
  if (inTheWay.length > 10) listed.push(`  … and ${inTheWay.length - 10} more`)
  throw new CliError('TARGET_NOT_EMPTY', `${shown} is not empty; nothing was written`, {
    details: listed,
    hint: 'write into it all the same, deleting nothing: --force',
    files: inTheWay,
  })

  function isOurLock(name: string): boolean {
    return name === '.api' && readdirSync(`${target}/.api`).every((entry) => entry === 'lock')
  }
}
