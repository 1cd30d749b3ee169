// @ts-check
import path from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../..', import.meta.url))

/** @returns {string} a PATH that finds the programs of the repository and those of checks/ */
export function toolPath() {
  const folders = ['node_modules/.bin', 'checks/node_modules/.bin'].map((name) =>
    path.join(root, name),
  )
  return [...folders, process.env['PATH']].join(path.delimiter)
}
