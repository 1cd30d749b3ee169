import { resolveOptions } from '../host/options.ts'
import { serve } from '../host/serve-database.ts'
import { readServerFile } from '../host/server-file.ts'
import { type Arguments, type Terminal } from './terminal.ts'

const maxTimerMs = 2_147_483_647

// Serves until a signal stops the process.
export async function runServe({ data, port }: Arguments, terminal: Terminal): Promise<void> {
  const settings = resolveOptions({
    storage: data === undefined ? { memory: true } : { directory: data },
    port: /^\d+$/.test(port) ? Number(port) : Number.NaN,
    onMessage: (message) => terminal.error(`${message}\n`),
  })
  const { directory } = settings
  const served = await serve(settings)
  if (!served) {
    const uri = directory === undefined ? undefined : readServerFile(directory)?.uri
    throw new Error(
      `${directory} is served by another process. Stop it, or connect to it: ${uri ?? 'it does not respond yet'}`,
    )
  }
  const stopped = untilSignal()
  terminal.out(`Embedded database (not MongoDB): ${served.uri}\n`)
  terminal.out(
    `${directory === undefined ? 'In memory' : `Data in ${directory}`}. Ctrl-C stops it.\n`,
  )
  await stopped
  await served.stop()
}

async function untilSignal(): Promise<void> {
  // The listening sockets alone do not keep the process alive.
  const timer = setInterval(() => {}, maxTimerMs)
  await new Promise<void>((resolve) => {
    process.once('SIGINT', () => resolve()).once('SIGTERM', () => resolve())
  })
  clearInterval(timer)
}
