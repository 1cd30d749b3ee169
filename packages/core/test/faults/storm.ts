import { once } from 'node:events'
import path from 'node:path'
import { z } from 'zod'
import { forkSource } from '../fork-source.ts'

/**
 * Logs in from many clients at once, in a separate process.
 * @param url - of the service
 * @param clients - how many
 * @param seconds - for how long
 * @returns the number of responses for each status
 */
export async function stormLogins(
  url: string,
  clients: number,
  seconds: number,
): Promise<Record<string, number>> {
  const args = [url, String(clients), String(seconds)]
  const child = forkSource(path.join(import.meta.dirname, 'storm.process.ts'), args)
  const [[counts]] = await Promise.all([once(child, 'message'), once(child, 'exit')])
  return z.record(z.string(), z.number()).parse(counts)
}
