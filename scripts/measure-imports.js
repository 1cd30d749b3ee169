// @ts-check
// Measures how long a service spends on loading packages before its own code runs. Each figure is the time
// a package adds to those before it, in a new process. Usage: node scripts/measure-imports.js [rounds]
import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'

const rounds = Number(process.argv[2] ?? 5)
const core = fileURLToPath(new URL('../packages/core', import.meta.url))
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
const onFirstUse = [
  '@node-rs/argon2',
  'nodemailer',
  '@create-api/embedded-mongo',
  'prom-client',
  'redis',
]

const script = `
  const times = []
  for (const name of ${JSON.stringify([...atStart, ...onFirstUse])}) {
    const start = performance.now()
    await import(name)
    times.push(performance.now() - start)
  }
  process.stdout.write(JSON.stringify(times))`

/** @type {number[][]} */
const runs = Array.from({ length: rounds }, () => JSON.parse(run(script)))
for (const [index, name] of [...atStart, ...onFirstUse].entries()) {
  if (index === atStart.length) console.log('on first use:')
  console.log(`${name.padEnd(30)}${median(runs.map((times) => times[index] ?? 0))} ms`)
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
