// @ts-check
// The npm packages of this repository: every workspace of which the manifest is not private.
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../..', import.meta.url))

/**
 * @typedef {{ name: string, version: string, main?: string, private?: boolean, dependencies?: Record<string, string>,
 *   devDependencies?: Record<string, string>, peerDependencies?: Record<string, string> }} Manifest
 */
/** @typedef {{ folder: string, manifest: Manifest }} Package */

/**
 * @param {string} [from] - root of the repository
 * @returns {Package[]} each after those that it depends on
 */
export function readPackages(from = root) {
  const all = [
    ...readdirSync(path.join(from, 'packages')).map((name) => `packages/${name}`),
    'templates',
  ]
    .filter((folder) => existsSync(path.join(from, folder, 'package.json')))
    .map((folder) => ({ folder, manifest: readManifest(path.join(from, folder)) }))
    .filter(({ manifest }) => !manifest.private)
  /** @type {Package[]} */
  const sorted = []
  for (const one of all) add(one)
  return sorted

  /** @param {Package} one */
  function add(one) {
    if (sorted.includes(one)) return
    const { dependencies, peerDependencies } = one.manifest
    for (const name of Object.keys({ ...dependencies, ...peerDependencies })) {
      const needed = all.find(({ manifest }) => manifest.name === name)
      if (needed) add(needed)
    }
    sorted.push(one)
  }
}

/** @returns {string[]} the modules of all packages that users can import or run */
export function listEntryPoints() {
  return readPackages().flatMap(({ folder }) => {
    const source = path.join(root, folder, 'src')
    const names = existsSync(source) ? readdirSync(source) : []
    return names
      .filter((name) => name.endsWith('.ts') && !/\.test\.ts$|^worker\.ts$/.test(name))
      .map((name) => path.join(source, name))
  })
}

/**
 * @param {string} folder
 * @returns {Manifest}
 */
export function readManifest(folder) {
  return JSON.parse(readFileSync(path.join(folder, 'package.json'), 'utf8'))
}
