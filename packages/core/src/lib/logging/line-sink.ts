import { write, writeSync } from 'node:fs'

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

/** Anything with the `write` of a stream. */
export interface LineStream {
  /**
   * Takes text; false asks to wait for `drain`.
   * @param text - one or more whole lines
   */
  write(text: string): unknown
  /**
   * As of an EventEmitter; asked for `drain`.
   * @default undefined
   */
  once?(event: 'drain', listener: () => void): unknown
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

interface Target {
  /** Starts to write; `done` is called when the next text may come. */
  write(text: string, done: () => void): void
  /** Writes at once, while the process ends. */
  writeSync(text: string): void
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
  let buffer = ''
  let [dropped, busy] = [0, false]
  let timer: NodeJS.Timeout | undefined

  function writeOut(): void {
    clearTimeout(timer)
    timer = undefined
    if (busy) return
    const text = buffer + describeLoss(dropped)
    buffer = ''
    dropped = 0
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
    else timer ??= setTimeout(writeOut, flushAfterMs).unref()
  }

  function writeLast(): void {
    if (buffer !== '') target.writeSync(buffer)
  }

  return {
    write(line) {
      if (buffer.length + line.length > capacity) dropped++
      else buffer += `${line}\n`
      atExit(writeLast)
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

function toStream(stream: LineStream): Target {
  return {
    write(text, done) {
      const more = stream.write(text)
      if (more === false && stream.once !== undefined) stream.once('drain', done)
      else done()
    },
    writeSync: (text) => void stream.write(text),
  }
}

// Not process.stdout: its writes to a pipe are synchronous, and a full pipe would stop the process.
function toFile(descriptor: number): Target {
  let startedAt: number | undefined

  function writeRest(bytes: Buffer, done: () => void): void {
    startedAt = performance.now()
    write(descriptor, bytes, (error, written) => {
      startedAt = undefined
      if (error?.code === 'EAGAIN') setTimeout(writeRest, 10, bytes, done)
      // Whoever closed the other end wants no more of it.
      else if (error !== null || written === bytes.length) done()
      else writeRest(bytes.subarray(written), done)
    })
  }

  return {
    write: (text, done) => writeRest(Buffer.from(text), done),
    writeSync(text) {
      if (startedAt !== undefined) {
        // A write that hangs means that nobody reads; another would keep the process from ending.
        if (performance.now() - startedAt > 1000) return
        // One that has just begun is made by another thread: it comes first.
        Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 50)
      }
      try {
        writeSync(descriptor, text)
      } catch {
        // There is no place left to complain to.
      }
    },
  }
}
