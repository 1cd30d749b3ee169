// @ts-check
// Runs the tests on other versions of Node: node scripts/check/on-node.js 22 24 26
// Arguments after `--` are passed to Vitest: node scripts/check/on-node.js 22 -- packages/core
import { spawnSync } from 'node:child_process'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { installNodes, toNodePath } from './node-versions.js'

const root = fileURLToPath(new URL('../..', import.meta.url))
const passed = process.argv.slice(2)
const separator = passed.includes('--') ? passed.indexOf('--') : passed.length
const versions = passed.slice(0, separator)
const vitestArguments = passed.slice(separator + 1)

if (versions.length === 0) {
  console.error('usage: node scripts/check/on-node.js <version> [<version> ...]')
  process.exit(2)
}
installNodes(versions)

for (const version of versions) {
  const node = toNodePath(version)
  console.log(`\n# Node ${version}`)
  const env = { ...process.env, PATH: `${path.dirname(node)}${path.delimiter}${process.env.PATH}` }
  run(node, ['--version'], env)
  const runner = ['node_modules/vitest/vitest.mjs', 'run']
  run(node, [...runner, ...vitestArguments], env)
}

/**
 * @param {string} command
 * @param {string[]} args
 * @param {NodeJS.ProcessEnv} env
 */
function run(command, args, env) {
  const { status } = spawnSync(command, args, { cwd: root, env, stdio: 'inherit' })
  if (status !== 0) process.exit(status ?? 1)
}
