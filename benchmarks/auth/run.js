// @ts-check
// What logins cost, what they do to others, and whether their time tells anything.
//   node benchmarks/auth/run.js                      everything, about 3 minutes; writes results/auth.md
//   node benchmarks/auth/run.js load storm        some of it; writes nothing
//   node benchmarks/auth/run.js --short           few samples, to see that it works; writes nothing
import { writeFileSync } from 'node:fs'
import { availableParallelism, cpus, loadavg } from 'node:os'
import { measureLoad, measureStorm } from './load.js'
import { measureLogin, measureRegister } from './timing.js'

/** @typedef {{ figures: Record<string, string>, criterion: string, passes: boolean }} Outcome */
/** @typedef {{ title: string, measure: () => Promise<Outcome> }} Measurement */

const wanted = process.argv.slice(2).filter((argument) => !argument.startsWith('--'))
const short = process.argv.includes('--short')
const pairs = short ? 20 : 500

/** @type {Record<string, Measurement>} */
const measurements = {
  login: {
    title: 'Login with a wrong password: an existing against an unknown address (LOG-02, F-17)',
    measure: () => measureLogin(pairs, { loaded: false }),
  },
  'login-loaded': {
    title: 'The same while other logins keep half of the hashing busy (F-17)',
    measure: () => measureLogin(pairs, { loaded: true }),
  },
  register: {
    title: 'hideRegistered: a taken against a new address (LOG-09)',
    measure: () => measureRegister(short ? 20 : 200),
  },
  load: {
    title: 'Logins that saturate, and the health route (PWD-09)',
    measure: () => measureLoad(short ? 2 : 20),
  },
  storm: {
    title: 'Refreshes of one token at the same time (F-03a)',
    measure: () => measureStorm(1000),
  },
}

const unknown = wanted.filter((name) => !(name in measurements))
if (unknown.length > 0) {
  throw new Error(`${unknown.join(', ')}: known are ${Object.keys(measurements).join(', ')}.`)
}

const chosen = Object.entries(measurements).filter(
  ([name]) => wanted.length === 0 || wanted.includes(name),
)
const load = loadavg()[0]?.toFixed(1)
const report = [
  '# Authentication',
  '',
  '`node benchmarks/auth/run.js`',
  '',
  `${new Date().toISOString().slice(0, 10)}, Node ${process.versions.node}, ${availableParallelism()} × ${cpus()[0]?.model}, load ${load} before the run, embedded database, defaults but for the limits, which are off.`,
  'Client and service share the machine: absolute times are those of a busy one.',
]
for (const [, { title, measure }] of chosen) {
  const { figures, criterion, passes } = await measure()
  const lines = Object.entries(figures).map(([name, value]) => `- ${name}: ${value}`)
  const verdict = `- **${passes ? 'passes' : 'FAILS'}**: ${criterion}`
  const section = ['', `## ${title}`, '', ...lines, verdict]
  process.stdout.write(`${section.join('\n')}\n`)
  report.push(...section)
  if (!passes) process.exitCode = 1
}
if (wanted.length === 0 && !short) {
  const file = new URL('../results/auth.md', import.meta.url)
  writeFileSync(file, `${report.join('\n')}\n`)
}
