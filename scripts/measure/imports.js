// @ts-check
// Measures how long a service spends on loading packages before its own code runs. Each figure is the time
// a package adds to those before it, in a new process. Usage: node scripts/measure/imports.js [rounds]
// Packages that core does not install are measured if those of checks/ are installed.
import { spawnSync } from 'node:child_process'
import { createRequire } from 'node:module'
import { fileURLToPath, pathToFileURL } from 'node:url'

const rounds = Number(process.argv[2] ?? 5)
const core = fileURLToPath(new URL('../../packages/core', import.meta.url))
// Loaded at startup. A dependency that several packages share counts for the first of them.
const atStart = [
  'express',
  'zod',
  'mongoose',
  'jsonwebtoken',
  'express-rate-limit',
  'morgan',
  'helmet',
  'cors',
  'pino',
  '@create-api/core',
]
// Loaded on first use.
const onFirstUse = ['@node-rs/argon2', 'nodemailer', '@create-api/embedded-mongo']
const optional = ['prom-client', 'redis']
const requireFromChecks = createRequire(new URL('../../checks/package.json', import.meta.url))
const packages = [...atStart, ...onFirstUse].map((name) => ({ name, file: name }))
for (const name of optional) {
  const file = find(name)
  if (file !== undefined) packages.push({ name, file })
}

const script = `
  const times = []
  for (const file of ${JSON.stringify(packages.map(({ file }) => file))}) {
    const start = performance.now()
    await import(file)
    times.push(performance.now() - start)
  }
  process.stdout.write(JSON.stringify(times))`

/** @type {number[][]} */
const runs = Array.from({ length: rounds }, () => JSON.parse(run(script)))
for (const [index, { name }] of packages.entries()) {
  if (index === atStart.length) console.log('on first use:')
  console.log(`${name.padEnd(30)}${median(runs.map((times) => times[index] ?? 0))} ms`)
}

/**
 * @param {string} name
 * @returns {string | undefined} URL of its file
 */
function find(name) {
  try {
    return pathToFileURL(requireFromChecks.resolve(name)).href
  } catch {
    return undefined
  }
}

/**
 * @param {string} text
 * @returns {string} its standard output
 */
function run(text) {
  const args = ['--input-type=module', '-e', text]
  const { status, stdout, stderr } = spawnSync(process.execPath, args, {
    cwd: core,
    encoding: 'utf8',
  })
  if (status !== 0) throw new Error(`exit ${status}\n${stderr}`)
  return stdout
}

/** @param {number[]} values */
function median(values) {
  const middle = values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN
  return middle.toFixed(0).padStart(6)
}
