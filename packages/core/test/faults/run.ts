// The fault plan: npm run faults -- [--long] [--only F-05,F-07]
import { parseArgs } from 'node:util'
import { keepRecord } from './record.ts'
import { type Figure, type Length, type Scenario } from './scenario.ts'
import { killServices } from './service-process.ts'
import { kill } from './scenarios/f04-kill.ts'
import { blackHole, restart, slow } from './scenarios/f05-f06-database.ts'
import { sigterm } from './scenarios/f07-sigterm.ts'
import { hostileBodies, slowClients, storm } from './scenarios/f08-f09-f18-clients.ts'
import { suspension, workerDeath } from './scenarios/f13-f14-processes.ts'
import { unreadLog } from './scenarios/f16-log.ts'
import { runSuites } from './suites.ts'

const scenarios: readonly Scenario[] = [
  kill,
  restart,
  blackHole,
  slow,
  sigterm,
  slowClients,
  storm,
  workerDeath,
  suspension,
  unreadLog,
  hostileBodies,
]

const { values } = parseArgs({
  options: {
    long: { type: 'boolean', default: false },
    only: { type: 'string', default: '' },
  },
})
const length: Length = values.long ? 'long' : 'short'
const only = values.only.split(',').filter(Boolean)
const chosen = scenarios.filter(({ id }) => only.length === 0 || only.includes(id))
const database = process.env['MONGODB_URI'] ? 'MongoDB server' : 'embedded database'
process.stdout.write(`${length} form, ${database}, Node ${process.versions.node}\n\n`)

const all = new Map<string, readonly Figure[]>()
let [passed, failed] = [0, 0]
for (const scenario of chosen) await runScenario(scenario)
if (length === 'long' && only.length === 0) {
  report('tests', 'in their long form', runSuites())
  keepRecord('faults', { command: 'npm run faults -- --long', conditions: database, figures: all })
}
process.stdout.write(`\n${passed} passed, ${failed} failed\n`)
process.exit(failed === 0 ? 0 : 1)

async function runScenario(scenario: Scenario): Promise<void> {
  const { id, title } = scenario
  const start = performance.now()
  try {
    const figures = await scenario.run(length)
    report(id, `${title} (${Math.round((performance.now() - start) / 1000)} s)`, figures)
  } catch (error) {
    const found = error instanceof Error ? error.message : String(error)
    report(id, title, [
      { what: 'ran to its end', found, criterion: 'yes', passed: false, isTime: false },
    ])
  } finally {
    killServices()
  }
}

// On a busy machine a time says little, so the short form, which is part of the gate, only shows it.
function toVerdict({ passed: isPassed, isTime }: Figure): 'ok' | 'slow' | 'FAIL' {
  if (isPassed) return 'ok'
  return isTime && length === 'short' ? 'slow' : 'FAIL'
}

function report(id: string, title: string, figures: readonly Figure[]): void {
  all.set(`${id} ${title}`, figures)
  process.stdout.write(`${id} ${title}\n`)
  for (const figure of figures) {
    const { what, found, criterion } = figure
    const verdict = toVerdict(figure)
    if (verdict === 'FAIL') failed++
    else passed++
    process.stdout.write(
      `  ${verdict.padEnd(4)} ${what.padEnd(48)} ${found.padStart(14)}   ${criterion}\n`,
    )
  }
}
