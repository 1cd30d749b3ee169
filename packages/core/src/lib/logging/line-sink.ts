import { type LineStream, toFile, toStream } from './line-target.ts'

/** Where log lines go: buffered, so that a request never waits for its line. */
export interface LineSink {
  /**
   * Adds one line, without its line break.
   * @param line - the text
   */
  write(line: string): void
  /** Resolves when everything written so far has left the process. */
  flush(): Promise<void>
}

/** Options for {@link createLineSink}. */
export interface LineSinkOptions {
  /**
   * Characters after which the buffer is written out.
   * @default 16384
   */
  flushAt?: number | undefined
  /**
   * Milliseconds after which the buffer is written out.
   * @default 200
   */
  flushAfterMs?: number | undefined
  /**
   * Characters that may wait while nobody reads; lines beyond are dropped and counted.
   * @default 8388608
   */
  capacity?: number | undefined
}

/**
 * Collects lines in one string and writes it out at 16 KB, after 200 ms and on exit. A reader
 * that stands still costs lines, never memory without bound or a blocked event loop.
 * @param destination - a file descriptor or a stream
 * @param options - sizes and times
 * @returns the sink
 */
export function createLineSink(
  destination: number | LineStream,
  options: LineSinkOptions = {},
): LineSink {
  const { flushAt = 16_384, flushAfterMs = 200, capacity = 8_388_608 } = options
  const target = typeof destination === 'number' ? toFile(destination) : toStream(destination)
  const waiting: (() => void)[] = []
  let [buffer, dropped, busy] = ['', 0, false]
  let timer: NodeJS.Timeout | undefined

  function writeOut(): void {
    if (busy) return
    const text = buffer + describeLoss(dropped)
    ;[buffer, dropped] = ['', 0]
    lastWrites.delete(writeLast)
    if (text === '') {
      for (const resolve of waiting.splice(0)) resolve()
      return
    }
    busy = true
    target.write(text, () => {
      busy = false
      if (waiting.length > 0) writeOut()
      else if (buffer !== '') schedule()
    })
  }

  function schedule(): void {
    if (buffer.length >= flushAt) writeOut()
    else timer ??= setTimeout(writeLate, flushAfterMs).unref()
  }

  // Not called off by a write before it, which would cost each of them a timer.
  function writeLate(): void {
    timer = undefined
    writeOut()
  }

  function writeLast(): void {
    if (buffer !== '') target.writeSync(buffer)
  }

  return {
    write(line) {
      if (buffer === '') atExit(writeLast)
      if (buffer.length + line.length > capacity) dropped++
      else buffer += `${line}\n`
      schedule()
    },
    flush: () =>
      new Promise((resolve) => {
        waiting.push(resolve)
        writeOut()
      }),
  }
}

const lastWrites = new Set<() => void>()

function atExit(writeLast: () => void): void {
  // One listener however many sinks there are, and none for those that have nothing left.
  if (lastWrites.size === 0 && process.listeners('exit').indexOf(writeAllLast) === -1) {
    process.on('exit', writeAllLast)
  }
  lastWrites.add(writeLast)
}

function writeAllLast(): void {
  for (const writeLast of lastWrites) writeLast()
}

function describeLoss(lines: number): string {
  if (lines === 0) return ''
  return `{"level":"warn","time":"${new Date().toISOString()}","msg":"log lines dropped","count":${lines}}\n`
}

let shared: LineSink | undefined

/**
 * The sink of standard output, one for the process.
 * @returns the sink
 */
export function standardOutput(): LineSink {
  shared ??= createLineSink(1)
  return shared
}
