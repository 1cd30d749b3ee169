// CPU time that a rule adds to a request, without HTTP and without a database: the access stage, and the filter that
// the handler makes of the scope. Prints the median of the rounds for each access, and the difference to `user`.
import { any, defineRule, requireAccess, role } from '@create-api/core'
import { inScope } from '@create-api/core/resource'

const requests = 200_000
const rounds = 15
const user = { id: '65f0c0ffee0123456789abcd', email: 'ada@example.org', roles: [] }
const organisation = defineRule('organisation', () => ({
  organisation: '65f0c0ffee0123456789abcd',
  status: { $in: ['draft', 'published'] },
}))
const accesses = {
  user: 'user',
  owner: 'owner',
  organisation,
  'owner or role admin': any('owner', role('admin')),
  'owner or organisation': any('owner', organisation),
}

function authenticator(req) {
  req.user = user
}

function createRun(access) {
  const { step } = requireAccess(access)
  return () => {
    const start = process.cpuUsage()
    let found = 0
    for (let count = 0; count < requests; count++) {
      const req = { method: 'GET', headers: {}, authenticator }
      void step(req, {})
      if (inScope(req.scope, { _id: '65f0c0ffee0123456789abce' })) found++
    }
    const { user: busy, system } = process.cpuUsage(start)
    return (busy + system) / found
  }
}

function median(values) {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]
}

const runs = Object.entries(accesses).map(([name, access]) => ({
  name,
  run: createRun(access),
  figures: [],
}))
// Interleaved, so that a disturbance of the machine meets all of them.
for (let round = 0; round <= rounds; round++) {
  for (const { run, figures } of runs) {
    const figure = run()
    if (round > 0) figures.push(figure)
  }
}
const base = median(runs[0].figures)
for (const { name, figures } of runs) {
  const own = median(figures)
  console.log(`${name.padEnd(24)} ${own.toFixed(2)} µs  + ${(own - base).toFixed(2)} µs`)
}
