// @ts-check
// Measures what the README's first command costs a new user: the installation with an empty npm cache, the
// build in it, and a new project, each in a clone of the last commit. Usage: node scripts/measure-install.js
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))
const folder = mkdtempSync(path.join(tmpdir(), 'measure-install-'))
const clone = path.join(folder, 'create-api')
const env = { ...process.env, npm_config_cache: path.join(folder, 'cache') }

try {
  execFileSync('git', ['clone', '--quiet', '--depth', '1', `file://${root}`, clone])
  report('npm ci, with an empty cache', 'npm ci --no-audit --no-fund')
  report('npm run build', 'npm run build')
  report('create-api --resource', "npx create-api ../service --yes --resource 'posts title'")
  const installed = path.join(clone, 'node_modules')
  const { packages } = JSON.parse(readFileSync(path.join(installed, '.package-lock.json'), 'utf8'))
  const names = Object.keys(packages).filter((place) => place.includes('node_modules/'))
  const megabytes = (sizeOf(installed) / 1e6).toFixed(0)
  console.log(`${names.length} packages, ${megabytes} MB`)
} finally {
  rmSync(folder, { recursive: true, force: true })
}

/**
 * @param {string} name
 * @param {string} command
 */
function report(name, command) {
  const timed = `TIMEFORMAT='%R %U %S'; time { ${command} >/dev/null 2>&1; }`
  const output = execFileSync('bash', ['-c', `{ ${timed}; } 2>&1`], {
    cwd: clone,
    env,
    encoding: 'utf8',
  })
  const [elapsed = 0, user = 0, system = 0] = output.trim().split(' ').map(Number)
  const cpu = (user + system).toFixed(1).padStart(6)
  console.log(`${name.padEnd(30)}${elapsed.toFixed(1).padStart(6)} s${cpu} s CPU`)
}

/**
 * @param {string} place
 * @returns {number} bytes in its files
 */
function sizeOf(place) {
  let bytes = 0
  for (const item of readdirSync(place, { withFileTypes: true })) {
    const target = path.join(place, item.name)
    if (item.isDirectory() && item.name !== '.cache') bytes += sizeOf(target)
    else if (item.isFile()) bytes += statSync(target).size
  }
  return bytes
}
