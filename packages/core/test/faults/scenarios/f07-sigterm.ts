import { once } from 'node:events'
import http from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { call, keepCalling } from '../client.ts'
import { exactly, type Scenario, within } from '../scenario.ts'
import { startService } from '../service-process.ts'

/** The service is stopped under load. */
export const sigterm: Scenario = {
  id: 'F-07',
  title: 'SIGTERM under load',
  async run() {
    const service = await startService({ DRAIN_DELAY: '1s' })
    const clients = Array.from({ length: 50 }, () => keepCalling(`${service.url}/api/notes`))
    await sleep(1000)
    // On a connection that the service has taken: a new one may be refused from here on.
    const agent = new http.Agent({ keepAlive: true })
    await call(`${service.url}/health/live`, { agent })
    const slow = call(`${service.url}/api/trouble/wait/3000`, { agent })
    await sleep(100)
    const signalled = performance.now()
    service.child.kill('SIGTERM')
    let notReady = Infinity
    while (notReady === Infinity) {
      const { status } = await call(`${service.url}/health/ready`)
      if (status === 503) notReady = performance.now() - signalled
    }
    const exited = once(service.child, 'exit').then(() => performance.now() - signalled)
    const seen = await Promise.all(clients)
    const [response, code, exitedAfter] = await Promise.all([slow, service.exit, exited])
    agent.destroy()
    const responses = seen.flatMap((one) => one.responses)
    return [
      within('not ready after', notReady, 100),
      exactly('connections lost', seen.filter(({ failure }) => failure !== undefined).length, 0),
      exactly(
        `responses other than 200, of ${responses.length}`,
        responses.filter(({ status }) => status !== 200).length,
        0,
      ),
      exactly('clients asked to close', responses.filter(({ closes }) => closes).length, 50),
      exactly('the slow request', [response.status, response.closes], [200, true]),
      exactly('exit code', code, 0),
      // Drain delay, what is left of the longest request, and a second.
      within('ended after', exitedAfter, 5000),
      exactly('last line', service.log.at(-1)?.msg, 'stopped'),
    ]
  },
}
