import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { templatesRoot } from '@create-api/templates'
import { hashText } from '../project/manifest.ts'
import { version } from '../version.ts'
import { readText } from './plan.ts'

/**
 * Tells whether the built-in template has changed since one was ejected.
 *
 * @param name name below the templates folder
 * @param text the ejected template
 * @returns true when the built-in one is another now
 */
export function isOutdatedTemplate(name: string, text: string): boolean {
  const from = /^\{\{!-- from create-api \S+, ([0-9a-f]{32})/.exec(text)?.[1]
  const builtIn = readText(join(templatesRoot, name))
  return from !== undefined && builtIn !== undefined && hashText(builtIn) !== from
}

/**
 * Names every template that can be ejected.
 *
 * @returns names below the templates folder
 */
export function templateNames(): readonly string[] {
  return ['resource', 'middleware', 'migration'].flatMap((folder) =>
    readdirSync(join(templatesRoot, folder))
      .toSorted()
      .map((name) => `${folder}/${name}`),
  )
}

/**
 * Writes a template as it is copied into a project: with a note of what it was taken from.
 *
 * @param text the built-in template
 * @returns the template with its first line
 */
export function toEjected(text: string): string {
  // A comment alone on its line leaves no empty line behind.
  return `{{!-- from create-api ${version}, ${hashText(text)}: yours to change --}}\n${text}`
}
