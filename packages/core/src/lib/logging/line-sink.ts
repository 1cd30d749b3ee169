import { setTimeout as sleep } from 'node:timers/promises'
import { isMainThread } from 'node:worker_threads'
import sonicBoom from 'sonic-boom'

/** Anything with the `write` of a stream. */
export interface LineStream {
  /**
   * Writes text.
   * @param text - one line with its line break
   */
  write(text: string): unknown
}

/** The destination of log lines. */
export interface LineSink {
  /** Adds one line, without its line break. */
  write(line: string): void
  /** Resolves when everything written so far has left the process. */
  flush(): Promise<void>
}

const batchLength = 16_384
const flushAfterMs = 200
const maxExitDelayMs = 1000

// Writes batches of 16 KB, what is left after 200 ms, and the rest on exit. While the reader is
// slow, up to `maxLength` bytes wait; batches beyond that are dropped, and counted in a line of the
// log once the reader is back.
//
// sonic-boom's asynchronous mode would lose or reorder the batch that is being written when the
// process exits. So it writes synchronously, to a descriptor that rejects (EAGAIN) what it cannot
// accept without blocking, and keeps the rest for the next attempt.
export function createLineSink(fd: number, maxLength = 8_388_608): LineSink {
  let retryUntil = 0
  let [batch, lines, dropped, failures, isBlocked] = ['', 0, 0, 0, false]
  let timer: NodeJS.Timeout | undefined
  const output = new sonicBoom.SonicBoom({
    fd,
    maxLength,
    sync: true,
    retryEAGAIN: () => performance.now() < retryUntil,
  })
  output.on('drop', () => {
    dropped += lines
    failures++
  })
  // After any other error, such as EPIPE, there is nothing to wait for.
  output.on('error', ({ code }: NodeJS.ErrnoException) => {
    if (code === 'EAGAIN') failures++
  })
  process.on('exit', () => {
    retryUntil = performance.now() + maxExitDelayMs
    writeBatch()
  })

  function isWritten(text: string): boolean {
    const before = failures
    output.write(text)
    return failures === before
  }

  function writeBatch(): void {
    // A full queue drops the batch without trying to write; an empty text always tries.
    if (isBlocked) output.write('')
    isBlocked = !isWritten(batch)
    ;[batch, lines] = ['', 0]
    if (isBlocked) schedule()
    else if (dropped > 0) {
      output.write(describeLoss(dropped))
      dropped = 0
    }
  }

  function schedule(): void {
    timer ??= setTimeout(() => {
      timer = undefined
      writeBatch()
    }, flushAfterMs).unref()
  }

  return {
    write(line) {
      batch += `${line}\n`
      lines++
      if (batch.length >= batchLength) writeBatch()
      else schedule()
    },
    async flush() {
      writeBatch()
      while (isBlocked) {
        await sleep(10)
        writeBatch()
      }
    },
  }
}

function describeLoss(count: number): string {
  const time = new Date().toISOString()
  return `${JSON.stringify({ level: 'warn', time, msg: 'log lines dropped', count })}\n`
}

let shared: LineSink | undefined

// Standard output has one sink for the process; a stream buffers for itself.
export function toLineSink(stream: LineStream | undefined): LineSink {
  if (stream !== undefined) {
    return { write: (line) => void stream.write(`${line}\n`), flush: async () => {} }
  }
  // Node makes a pipe or a socket non-blocking when it opens `process.stdout`.
  shared ??= createLineSink(isMainThread ? process.stdout.fd : 1)
  return shared
}
