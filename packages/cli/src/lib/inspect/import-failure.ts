import { sep } from 'node:path'
import { pathToFileURL } from 'node:url'
import { CliError } from '../errors.ts'
import { type Project } from '../project/open-project.ts'
import { apiCommand } from '../terminal/api-command.ts'

/** What was thrown while the application was imported, as it travels between processes. */
export interface ImportFailure {
  readonly name: string
  readonly message: string
  readonly stack: string
}

// Packages, and our own script.
const isForeign = /node_modules|\[eval/

/**
 * Says why an application cannot be imported, in its own words and with its own lines.
 *
 * @param project the project
 * @param failure what was thrown
 * @returns a CliError `PROBLEMS_FOUND`
 */
export function toImportError(project: Project, failure: ImportFailure): CliError {
  const { root } = project
  const { message, name, stack } = failure
  const isOwn = /^(Type|Reference|Range|Syntax)Error$/.test(name)
  const words = isOwn ? `${name}: ${message}` : message
  const frames = [...stack.matchAll(/^ +at .*$/gm)].map(([line]) => line.trim())
  const places = frames.filter((line) => line.includes(root) && !isForeign.test(line))
  const lines = [...words.trim().split('\n'), ...places.slice(0, 3).map((line) => `  ${line}`)]
  return new CliError('PROBLEMS_FOUND', 'the application could not be imported', {
    details: lines.map((line) => `  ${toRelative(root, line)}`),
    hint: cureFor(failure),
  })
}

function toRelative(root: string, line: string): string {
  return line.replaceAll(`${pathToFileURL(root).href}/`, '').replaceAll(`${root}${sep}`, '')
}

function cureFor({ message, name }: ImportFailure): string | undefined {
  if (name === 'ConfigError') return `every variable and its value: ${apiCommand} env`
  return message.startsWith('Cannot find package') ? 'is it installed? npm install' : undefined
}
