// @ts-check
// Runs the tests on other versions of Node: node scripts/test-on-node.js 22 24 26
// Whatever comes behind two dashes is for the runner: node scripts/test-on-node.js 22 -- packages/core
import { spawnSync } from 'node:child_process'
import { mkdirSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))
const folder = path.join(root, 'node_modules', '.cache', 'node-versions')
const given = process.argv.slice(2)
const dashes = given.includes('--') ? given.indexOf('--') : given.length
const versions = given.slice(0, dashes)
const rest = given.slice(dashes + 1)

if (versions.length === 0) {
  console.error('usage: node scripts/test-on-node.js <version> [<version> ...]')
  process.exit(2)
}

// Versions of Node are packages of their own, installed beside the project and never into it.
mkdirSync(folder, { recursive: true })
const packages = versions.map((version) => `node-${version}@npm:node@${version}`)
run('npm', ['install', '--prefix', folder, '--no-save', '--no-audit', '--no-fund', ...packages])

for (const version of versions) {
  const bin = path.join(folder, 'node_modules', `node-${version}`, 'bin')
  console.log(`\n# Node ${version}`)
  const env = { ...process.env, PATH: `${bin}${path.delimiter}${process.env.PATH}` }
  run(path.join(bin, 'node'), ['--version'], env)
  const runner = ['node_modules/vitest/vitest.mjs', 'run']
  run(path.join(bin, 'node'), [...runner, ...rest], env)
}

/**
 * @param {string} command
 * @param {string[]} args
 * @param {NodeJS.ProcessEnv} [env]
 */
function run(command, args, env = process.env) {
  const { status } = spawnSync(command, args, { cwd: root, env, stdio: 'inherit' })
  if (status !== 0) process.exit(status ?? 1)
}
