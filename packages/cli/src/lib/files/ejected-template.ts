import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { templatesRoot } from '@create-api/templates'
import { hashText } from './hash-text.ts'
import { version } from '../package/own-package.ts'
import { readText } from './plan.ts'

// The names of the copies in a folder whose built-in template has changed since.
export function findOutdatedTemplates(folder: string): readonly string[] {
  return templateNames().filter((name) => isOutdated(name, readText(join(folder, name)) ?? ''))
}

function isOutdated(name: string, text: string): boolean {
  const from = /^\{\{!-- from create-api \S+, ([0-9a-f]{32})/.exec(text)?.[1]
  const builtIn = readText(join(templatesRoot, name))
  return from !== undefined && builtIn !== undefined && hashText(builtIn) !== from
}

export function templateNames(): readonly string[] {
  return ['resource', 'middleware', 'migration'].flatMap((folder) =>
    readdirSync(join(templatesRoot, folder))
      .toSorted()
      .map((name) => `${folder}/${name}`),
  )
}

export function toEjected(text: string): string {
  // A comment alone on its line leaves no empty line behind.
  return `{{!-- from create-api ${version}, ${hashText(text)}: yours to change --}}\n${text}`
}
