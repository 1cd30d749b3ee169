import { constants, setPriority } from 'node:os'
import { call } from './client.ts'
import { countStatuses, createHistory } from './history.ts'

// Clients that log in all at once, and again as soon as they get a response. They play another machine,
// so they get the processor that the service leaves.
setPriority(constants.priority.PRIORITY_LOW)
const [url = '', clients = '', seconds = ''] = process.argv.slice(2)
const history = createHistory()
const end = AbortSignal.timeout(Number(seconds) * 1000)
const body = { email: 'stranger@example.org', password: 'TestRiver42!' }
await history.inStrands(Number(clients), end, () =>
  history.note('login', () => call(`${url}/api/v1/auth/login`, { method: 'POST', body })),
)
process.send?.(countStatuses(history.operations))
