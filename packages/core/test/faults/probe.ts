import path from 'node:path'
import { z } from 'zod'
import { forkSource, nextMessage } from '../fork-source.ts'

/** Asks a service the same thing again and again. */
export interface Probe {
  /** Ends it, and says how long each response took in milliseconds, and how many did not come. */
  stop(): Promise<{ times: number[]; failed: number }>
}

/**
 * Starts a probe in a separate process: the one that makes the load is too busy to measure.
 * @param url - what to ask
 * @param rate - how often in a second
 * @returns the probe, once it asks
 */
export async function startProbe(url: string, rate = 20): Promise<Probe> {
  const child = forkSource(path.join(import.meta.dirname, 'probe.process.ts'), [url, String(rate)])
  await nextMessage(child)
  return {
    async stop() {
      const message = nextMessage(child)
      child.send('stop')
      return z.object({ times: z.array(z.number()), failed: z.number() }).parse(await message)
    },
  }
}
