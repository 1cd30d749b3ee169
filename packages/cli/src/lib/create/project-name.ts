import { builtinModules } from 'node:module'
import { basename } from 'node:path'
import { CliError } from '../errors/cli-error.ts'

const validName = /^(@[a-z0-9~-][a-z0-9._~-]*\/)?[a-z0-9~-][a-z0-9._~-]*$/
const windowsDevice = /^(con|prn|aux|nul|com[0-9]|lpt[0-9])(\.|$)/i

export function requireProjectName(target: string, flag: string | undefined): string {
  const name = flag ?? basename(target)
  const fault = findNameFault(name) ?? (flag === undefined ? undefined : findFolderFault(target))
  if (fault === undefined) return name
  const suggestion = sanitise(name)
  throw new CliError('INVALID_NAME', `"${name}" cannot be a project name: ${fault}`, {
    hint: suggestion === '' ? 'use lower-case letters, digits and "-"' : `try ${suggestion}`,
  })
}

// Why npm would refuse the name of a package; undefined if it would not.
export function findNameFault(name: string): string | undefined {
  if (name.length > 214) return 'it is longer than 214 characters'
  if (name !== name.toLowerCase()) return 'npm allows only lower-case letters'
  if (!validName.test(name)) return 'npm does not allow it'
  if (name === 'node_modules' || name === 'favicon.ico') return 'npm reserves it'
  if (builtinModules.includes(name)) return 'it is a built-in module of Node.js'
  return windowsDevice.test(name) ? 'it cannot be a folder on Windows' : undefined
}

function findFolderFault(target: string): string | undefined {
  return windowsDevice.test(basename(target)) ? 'its folder cannot exist on Windows' : undefined
}

function sanitise(name: string): string {
  const cleaned = name
    .normalize('NFKD')
    .replaceAll(/\p{M}/gu, '')
    .toLowerCase()
    .replaceAll(/[^a-z0-9-]+/g, '-')
    .replaceAll(/^-+|-+$/g, '')
  return findNameFault(cleaned) === undefined ? cleaned : ''
}
