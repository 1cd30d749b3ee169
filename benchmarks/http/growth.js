// What a request costs, and what memory holds, when there is more of something; and by which law it grows.
// node http/growth.js
import { contenders } from './contenders.js'
import { collections } from './growth/collections.js'
import { describeLaw } from './growth/law.js'
import { idleConnections, sessions } from './growth/memory.js'
import { mostTokens, requests } from './growth/requests.js'
import { workers } from './growth/workers.js'
import { describe, describeRun } from './machine.js'
import { readOptions } from './options.js'
import { mintTokens, startDatabase, startLoad } from './processes.js'
import { publish } from './publish.js'
import { median, show, table, unique } from './tables.js'

const chosen = ['ours', 'ours-no-cache', 'express-key', 'fastify']
// Sessions have a database of their own and come last.
const tables = [...requests, workers, idleConnections, collections, sessions]

const options = readOptions({
  contenders: Object.fromEntries(chosen.map((name) => [name, contenders[name]])),
  workloads: tables,
  rounds: 3,
})
const database = await startDatabase()
const tokens = {}
for (const name of options.names) tokens[name] = await mintTokens(name, mostTokens)
const load = startLoad()
const result = { ...describeRun(options), connections: undefined, samples: [] }
try {
  for (const { id, measure } of options.workloads) {
    const samples = await measure({ options, load, tokens, database })
    for (const sample of samples) result.samples.push({ table: id, ...sample })
    process.stderr.write(`${id}\n`)
  }
} finally {
  await load.stop()
  await database.stop()
}
publish(result, { options, prefix: 'growth-', toMarkdown })

function toMarkdown({ samples, ...about }) {
  return [
    `# What grows, Node ${about.node}\n\n${describe(about)}`,
    `CPU microseconds are of one request. The last column is the law that fits a row best, by least squares of relative
errors: \`constant\` if it predicts a change of less than a quarter over the whole row. Of memory it is the slope of a line.\n`,
    ...options.workloads.map(({ id, title, figures, describe: toLaw = describeLaw }) => {
      const own = samples.filter((sample) => sample.table === id)
      return `## ${title}\n\n${toTable(own, figures, toLaw)}`
    }),
  ].join('\n')
}

function toTable(samples, figures, toLaw) {
  const steps = unique(samples, 'step')
  const rows = unique(samples, 'name').flatMap((name) =>
    Object.entries(figures).map(([field, label]) => {
      const values = steps.map((step) => {
        const own = samples.filter((item) => item.name === name && item.step === step)
        return median(own.map((item) => item[field]))
      })
      const law = toLaw(steps.map((step, index) => [step, values[index]]))
      return [`${name}, ${label}`, ...values.map((value) => show(value, 0)), law]
    }),
  )
  return table(['', ...steps.map((step) => step.toLocaleString('en')), 'law'], rows)
}
