import { builtinModules } from 'node:module'
import { basename } from 'node:path'
import { CliError } from '../errors.ts'

const accepted = /^(@[a-z0-9~-][a-z0-9._~-]*\/)?[a-z0-9~-][a-z0-9._~-]*$/
const windowsDevice = /^(con|prn|aux|nul|com[0-9]|lpt[0-9])(\.|$)/i

/**
 * Gives the package name of a new project.
 *
 * @param target absolute path of its folder
 * @param given name from `--name`
 * @returns the name
 * @throws CliError `INVALID_NAME` when npm or a file system would refuse it
 */
export function toProjectName(target: string, given: string | undefined): string {
  const name = given ?? basename(target)
  const fault = faultOf(name) ?? (given === undefined ? undefined : folderFault(target))
  if (fault === undefined) return name
  const suggestion = sanitise(name)
  throw new CliError('INVALID_NAME', `"${name}" cannot be a project name: ${fault}`, {
    hint: suggestion === '' ? 'use lower-case letters, digits and "-"' : `try ${suggestion}`,
  })
}

function faultOf(name: string): string | undefined {
  if (name.length > 214) return 'it is longer than 214 characters'
  if (name !== name.toLowerCase()) return 'npm allows lower-case letters only'
  if (!accepted.test(name)) return 'npm does not allow it'
  if (name === 'node_modules' || name === 'favicon.ico') return 'npm reserves it'
  if (builtinModules.includes(name)) return 'it is a module of Node.js'
  return windowsDevice.test(name) ? 'it cannot be a folder on Windows' : undefined
}

function folderFault(target: string): string | undefined {
  return windowsDevice.test(basename(target)) ? 'its folder cannot exist on Windows' : undefined
}

function sanitise(name: string): string {
  const cleaned = name
    .normalize('NFKD')
    .replaceAll(/\p{M}/gu, '')
    .toLowerCase()
    .replaceAll(/[^a-z0-9-]+/g, '-')
    .replaceAll(/^-+|-+$/g, '')
  return faultOf(cleaned) === undefined ? cleaned : ''
}
