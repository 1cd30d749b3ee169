import { constants, fstatSync, openSync, write, writeSync } from 'node:fs'
import { isatty } from 'node:tty'

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

/** Where a sink writes to. */
export interface LineTarget {
  /**
   * Starts to write.
   * @param text - whole lines
   * @param done - called when the next text may come
   */
  write(text: string, done: () => void): void
  /**
   * Writes at once, while the process ends.
   * @param text - whole lines
   */
  writeSync(text: string): void
}

/**
 * Makes a target of a stream.
 * @param stream - takes the lines
 * @returns the target; it waits for `drain` when the stream asks for it
 */
export function toStream(stream: LineStream): LineTarget {
  return {
    write(text, done) {
      const more = stream.write(text)
      if (more === false && stream.once !== undefined) stream.once('drain', done)
      else done()
    },
    writeSync: (text) => void stream.write(text),
  }
}

/**
 * Makes a target of a file descriptor. It is not `process.stdout`, whose writes to a pipe wait for
 * the reader and with it stop the process: what cannot be written at once is left to a thread.
 * @param descriptor - open for writing
 * @returns the target
 */
export function toFile(descriptor: number): LineTarget {
  const unwaiting = toUnwaiting(descriptor)
  let startedAt: number | undefined

  // A thread costs several times the write itself: it is for what would have to wait.
  function writeNow(bytes: Buffer): Buffer {
    if (unwaiting === undefined) return bytes
    try {
      return bytes.subarray(writeSync(unwaiting, bytes))
    } catch {
      return bytes
    }
  }

  function writeByThread(bytes: Buffer, done: () => void): void {
    startedAt = performance.now()
    write(descriptor, bytes, (error, written) => {
      startedAt = undefined
      if (error?.code === 'EAGAIN') setTimeout(writeByThread, 10, bytes, done)
      // Whoever closed the other end wants no more of it.
      else if (error !== null || written === bytes.length) done()
      else writeByThread(bytes.subarray(written), done)
    })
  }

  return {
    write(text, done) {
      const rest = writeNow(Buffer.from(text))
      if (rest.length === 0) done()
      else writeByThread(rest, done)
    },
    writeSync(text) {
      if (startedAt !== undefined) {
        // A write that hangs means that nobody reads; another would keep the process from ending.
        if (performance.now() - startedAt > 1000) return
        // One that has just begun is made by another thread: it comes first.
        Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 200)
      }
      try {
        writeSync(descriptor, text)
      } catch {
        // There is no place left to complain to.
      }
    },
  }
}

// A descriptor of the same file on which a write takes what there is room for and never waits for a
// reader, if there is one.
function toUnwaiting(descriptor: number): number | undefined {
  try {
    const stats = fstatSync(descriptor)
    if (stats.isFile() || (stats.isCharacterDevice() && !isatty(descriptor))) return descriptor
    if (!stats.isFIFO() || process.platform !== 'linux') return undefined
    // Opened again, a pipe does not wait for us and stays as it is for everybody else.
    return openSync(`/proc/self/fd/${descriptor}`, constants.O_WRONLY | constants.O_NONBLOCK)
  } catch {
    return undefined
  }
}
