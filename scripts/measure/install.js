// @ts-check
// Measures what the README's first command costs a new user: the installation with an empty npm cache, the
// build in it, and a new project, each in a clone of the last commit. Usage: node scripts/measure/install.js
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../..', import.meta.url))
const folder = mkdtempSync(path.join(tmpdir(), 'measure-install-'))
const clone = path.join(folder, 'create-api')
const env = { ...process.env, npm_config_cache: path.join(folder, 'cache') }

try {
  execFileSync('git', ['clone', '--quiet', '--depth', '1', `file://${root}`, clone])
  const create = "npx create-api ../service --yes --resource 'posts title'"
  const installed = report('npm ci, with an empty cache', measure('npm ci --no-audit --no-fund'))
  const created = report('create-api --resource', measure(create))
  report('both: the first command', {
    elapsed: installed.elapsed + created.elapsed,
    cpu: installed.cpu + created.cpu,
  })
  report('npm run build, part of npm ci', measure('npm run build'))
  const modules = path.join(clone, 'node_modules')
  const { packages } = JSON.parse(readFileSync(path.join(modules, '.package-lock.json'), 'utf8'))
  const names = Object.keys(packages).filter(
    (place) => place.includes('node_modules/') && !packages[place].link,
  )
  const megabytes = (sizeOf(modules) / 1e6).toFixed(0)
  console.log(`${names.length} packages, ${megabytes} MB`)
} finally {
  rmSync(folder, { recursive: true, force: true })
}

/**
 * @param {string} command
 * @returns {{ elapsed: number, cpu: number }} seconds
 */
function measure(command) {
  const timed = `TIMEFORMAT='%R %U %S'; time { ${command} >/dev/null 2>&1; }`
  const output = execFileSync('bash', ['-c', `{ ${timed}; } 2>&1`], {
    cwd: clone,
    env,
    encoding: 'utf8',
  })
  const [elapsed = 0, user = 0, system = 0] = output.trim().split(' ').map(Number)
  return { elapsed, cpu: user + system }
}

/**
 * @template {{ elapsed: number, cpu: number }} Times
 * @param {string} name
 * @param {Times} times
 */
function report(name, times) {
  const [elapsed, cpu] = [times.elapsed, times.cpu].map((time) => time.toFixed(1).padStart(6))
  console.log(`${name.padEnd(30)}${elapsed} s${cpu} s CPU`)
  return times
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
