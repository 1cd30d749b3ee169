import { readdirSync, statSync } from 'node:fs'
import { CliError } from '../errors.ts'

// A repository somebody made before the code.
const harmless = /^(\.git|license(\..*)?|readme(\..*)?)$/i

/**
 * Refuses a target folder that holds something.
 *
 * @param target absolute path
 * @param shown the path as the user knows it
 * @throws CliError `TARGET_NOT_EMPTY` that lists what is in the way
 */
export function requireEmptyTarget(target: string, shown: string): void {
  const stats = statSync(target, { throwIfNoEntry: false })
  if (stats === undefined) return
  if (!stats.isDirectory()) {
    throw new CliError('TARGET_NOT_EMPTY', `${shown} is a file`, { files: [shown] })
  }
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
