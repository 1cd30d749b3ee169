import { fork } from 'node:child_process'
import { once } from 'node:events'
import path from 'node:path'
import { z } from 'zod'

/**
 * Logs in from many clients at once, in a process of their own.
 * @param url - of the service
 * @param clients - how many
 * @param seconds - for how long
 * @returns how many answers there were for each status
 */
export async function stormLogins(
  url: string,
  clients: number,
  seconds: number,
): Promise<Record<string, number>> {
  const args = [url, String(clients), String(seconds)]
  const child = fork(path.join(import.meta.dirname, 'storm.process.ts'), args, {
    execArgv: ['--import', 'tsx', '--conditions=@create-api/source'],
  })
  const [[counts]] = await Promise.all([once(child, 'message'), once(child, 'exit')])
  return z.record(z.string(), z.number()).parse(counts)
}
