import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { CliError } from '../errors/cli-error.ts'
import { readText } from '../files/plan.ts'

export interface SourceFile {
  /** Relative to the root, with `/`. */
  readonly path: string
  readonly text: string
}

const isSource = /(?<!\.d)\.[cm]?[jt]s$/
const isTest = /(^|[.-])(test|spec)\.[cm]?[jt]s$/
// Built, copied or foreign code, and tests.
const otherFolders =
  /^(\..*|node_modules|bower_components|vendor|dist|build|out|coverage|public|static|assets|tests?|__tests__|__mocks__|specs?|e2e|cypress)$/

// A file of the application is shorter; a bundle is longer.
const maxBytes = 512 * 1024
const maxFiles = 5000

// The source of an application, without that of packages inside of it.
export function listSourceFiles(root: string, folder = ''): readonly SourceFile[] {
  const files = list(root, folder)
  if (files.length > maxFiles) {
    throw new CliError('USAGE', `there are more than ${maxFiles} source files in ${root}`, {
      hint: 'run this in the folder of the application, where its package.json is',
    })
  }
  return files
}

function list(root: string, folder: string): readonly SourceFile[] {
  return readdirSync(join(root, folder), { withFileTypes: true })
    .toSorted((a, b) => (a.name < b.name ? -1 : 1))
    .flatMap((entry) => {
      const path = folder === '' ? entry.name : `${folder}/${entry.name}`
      if (entry.isDirectory()) return isOwnFolder(root, path, entry.name) ? list(root, path) : []
      if (!entry.isFile() || !isSource.test(entry.name) || isTest.test(entry.name)) return []
      return statSync(join(root, path)).size > maxBytes ? [] : [readSource(root, path)]
    })
}

function isOwnFolder(root: string, path: string, name: string): boolean {
  return !otherFolders.test(name) && readText(join(root, path, 'package.json')) === undefined
}

function readSource(root: string, path: string): SourceFile {
  return { path, text: readText(join(root, path)) ?? '' }
}
