import { once } from 'node:events'
import { type Server } from 'node:http'
import { type Ending } from './lifecycle.ts'

/**
 * Closes a server when its requests have been answered, or cuts them when their time is up.
 * @param server - listening
 * @param timeoutMs - how long to wait for them
 * @returns whether they finished
 */
export async function closeServer(server: Server, timeoutMs: number): Promise<Ending> {
  const closed = once(server, 'close')
  let ending: Ending = 'finished'
  server.close()
  server.closeIdleConnections()
  // A connection that never spoke counts as idle only later, and a busy one when it has answered.
  const sweep = setInterval(() => server.closeIdleConnections(), 100)
  const deadline = setTimeout(() => {
    ending = 'forced'
    server.closeAllConnections()
  }, timeoutMs)
  await closed
  clearInterval(sweep)
  clearTimeout(deadline)
  return ending
}
