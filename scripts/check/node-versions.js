// @ts-check
// Installs versions of Node, as npm packages, into a cache folder outside the project's dependencies.
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'

const folder = fileURLToPath(new URL('../../node_modules/.cache/node-versions', import.meta.url))

/** @param {readonly string[]} versions - major or full versions */
export function installNodes(versions) {
  mkdirSync(folder, { recursive: true })
  const packages = versions.map((version) => `node-${version}@npm:node@${version}`)
  const flags = ['--prefix', folder, '--no-save', '--no-audit', '--no-fund']
  const { status } = spawnSync('npm', ['install', ...flags, ...packages], { stdio: 'inherit' })
  if (status !== 0 || !versions.every((version) => existsSync(toNodePath(version)))) {
    throw new Error(`Node ${versions.join(', ')} could not be installed, see above.`)
  }
}

/**
 * @param {string} version - as passed to installNodes
 * @returns {string} path of its executable
 */
export function toNodePath(version) {
  return path.join(folder, 'node_modules', `node-${version}`, 'bin', 'node')
}
