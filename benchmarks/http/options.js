// What the command line says.
import { execFileSync } from 'node:child_process'
import { parseArgs } from 'node:util'

const usage = `Options:
  --quick             2 short rounds
  --only <names>      contenders and workloads, by comma: ours,fastify,W2
  --rounds <number>   rounds for each workload
  --ms <number>       milliseconds for each round and contender
  --node <path>       Node that runs the servers (default: this one)
  --json              prints the results as JSON and keeps no file
  --out <name>        name of the result files (default: by what is measured and node<major>)
`

/**
 * Reads the options.
 * @param all - contenders and workloads to choose from, how many rounds are usual, and how long they are
 * @returns contenders, workloads and times
 */
export function readOptions({ contenders, workloads, rounds = 5, ms = 700 }) {
  const { values } = parseArgs({
    options: {
      quick: { type: 'boolean', default: false },
      only: { type: 'string', default: '' },
      rounds: { type: 'string' },
      ms: { type: 'string' },
      node: { type: 'string', default: process.execPath },
      json: { type: 'boolean', default: false },
      out: { type: 'string' },
      help: { type: 'boolean', default: false },
    },
  })
  if (values.help) {
    process.stdout.write(usage)
    process.exit(0)
  }
  const only = values.only.split(',').filter(Boolean)
  const known = [...Object.keys(contenders), ...workloads.map(({ id }) => id)]
  const unknown = only.filter((name) => !known.includes(name))
  if (unknown.length > 0)
    throw new Error(`unknown: ${unknown.join(', ')}. Known: ${known.join(', ')}`)
  const named = only.filter((name) => name in contenders)
  const chosen = workloads.filter(({ id }) => only.includes(id))
  return {
    ...values,
    rounds: Number(values.rounds ?? (values.quick ? 2 : rounds)),
    ms: Number(values.ms ?? (values.quick ? Math.min(250, ms) : ms)),
    names: listRunnable(
      contenders,
      named.length > 0 ? named : Object.keys(contenders),
      values.node,
    ),
    workloads: chosen.length > 0 ? chosen : workloads,
  }
}

function listRunnable(contenders, names, node) {
  const major = Number(/\d+/.exec(execFileSync(node, ['--version']))[0])
  const left = names.filter((name) => contenders[name].lastNode < major)
  const message = `${left.join(', ')}: no binary for Node ${major}`
  if (left.length === names.length) throw new Error(message)
  if (left.length > 0) process.stderr.write(`${message}\n`)
  return names.filter((name) => !left.includes(name))
}
