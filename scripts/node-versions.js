// @ts-check
// Versions of Node are packages of their own, installed beside the project and never into it.
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'

const folder = fileURLToPath(new URL('../node_modules/.cache/node-versions', import.meta.url))

/**
 * Installs versions of Node.
 * @param {readonly string[]} versions majors, or whole versions
 * @returns {void}
 */
export function installNodes(versions) {
  mkdirSync(folder, { recursive: true })
  const packages = versions.map((version) => `node-${version}@npm:node@${version}`)
  const flags = ['--prefix', folder, '--no-save', '--no-audit', '--no-fund']
  const { status } = spawnSync('npm', ['install', ...flags, ...packages], { stdio: 'inherit' })
  if (status !== 0 || !versions.every((version) => existsSync(toNodePath(version)))) {
    throw new Error(`Node ${versions.join(', ')} cannot be installed: see above.`)
  }
}

/**
 * Where an installed version is.
 * @param {string} version as it was installed
 * @returns {string} path of its program
 */
export function toNodePath(version) {
  return path.join(folder, 'node_modules', `node-${version}`, 'bin', 'node')
}
