import { randomBytes } from 'node:crypto'
import { Timestamp } from 'bson'
import { isDocument } from '../bson/document.ts'
import { CommandError } from '../errors/command-error.ts'
import { type Change, type Origin, type SchemaChange, type View } from '../storage/view.ts'

const capacity = 20_000
const runIdLength = 16
const positionLength = 12
// The end of a token of the event 'invalidate'.
const invalidate = 'ff'

export interface ChangeEvent {
  sequence: number
  time: Timestamp
  wallTime: Date
  what: Change | SchemaChange
  origin: Origin | undefined
}

// The latest events while the server runs; recording starts with the first change stream.
export class ChangeLog {
  readonly #runId = randomBytes(runIdLength / 2).toString('hex')
  readonly #events: ChangeEvent[] = []
  readonly #waiting = new Set<() => void>()
  #isWatched = false
  #last = 0
  // The time of the last write that it does not hold; earlier runs have ended before this one started.
  #unknown = new Timestamp({ t: Math.floor(Date.now() / 1000) - 1, i: 0xff_ff_ff_ff })

  get last(): number {
    return this.#last
  }

  watch(): void {
    this.#isWatched = true
  }

  record(view: View, time: Timestamp): void {
    if (!this.#isWatched) {
      this.#unknown = time
      return
    }
    const wallTime = new Date()
    // A collection is created, or dropped by $out, before its documents are written.
    for (const what of [...view.schemaChanges, ...view.changes.map(withOwnMemory)]) {
      this.#last += 1
      this.#events.push({ sequence: this.#last, time, wallTime, what, origin: view.origin })
    }
    if (this.#events.length > 2 * capacity) this.#dropOldest()
    this.wake()
  }

  #dropOldest(): void {
    const dropped = this.#events.splice(0, this.#events.length - capacity)
    this.#unknown = dropped.at(-1)?.time ?? this.#unknown
  }

  // Each waiting stream checks for itself whether the event is in its scope.
  wake(): void {
    for (const resolve of this.#waiting) resolve()
    this.#waiting.clear()
  }

  wait(timeoutMs: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(done, timeoutMs).unref()
      const waiting = this.#waiting
      waiting.add(done)
      function done(): void {
        clearTimeout(timer)
        waiting.delete(done)
        resolve()
      }
    })
  }

  // The first event after a position; error 286 when the log no longer reaches back that far.
  next(sequence: number): ChangeEvent | undefined {
    const first = this.#events[0]?.sequence ?? this.#last + 1
    if (sequence + 1 < first) throw historyLost()
    return this.#events[sequence + 1 - first]
  }

  toToken(sequence: number, isInvalidate = false): { _data: string } {
    const position = sequence.toString(16).padStart(positionLength, '0')
    return { _data: this.#runId + position + (isInvalidate ? invalidate : '') }
  }

  parseToken(token: unknown): { position: number; isInvalidate: boolean } {
    const data = isDocument(token) ? token['_data'] : undefined
    if (typeof data === 'string' && !/^(?:[0-9a-f]{2})+$/i.test(data)) {
      throw new CommandError('FailedToParse', 'resume token string was not a valid hex string')
    }
    if (typeof data !== 'string' || data.length < runIdLength + positionLength) {
      throw new CommandError('InvalidResumeToken', 'The resume token is not one of this database.')
    }
    if (!data.startsWith(this.#runId)) throw historyLost()
    const end = runIdLength + positionLength
    return {
      position: Number.parseInt(data.slice(runIdLength, end), 16),
      isInvalidate: data.slice(end) === invalidate,
    }
  }

  // The position before the first event at or after a time; error 286 when some may be missing.
  before(time: Timestamp): number {
    if (this.#unknown.comp(time) >= 0) throw historyLost()
    const found = this.#events.find((event) => event.time.comp(time) >= 0)
    return found ? found.sequence - 1 : this.#last
  }
}

// The earlier document is a part of a page, which would stay as long as the event.
function withOwnMemory(change: Change): Change {
  return { ...change, before: change.before && Buffer.from(change.before) }
}

function historyLost(): CommandError {
  return new CommandError(
    'ChangeStreamHistoryLost',
    'Resume of change stream was not possible, as the resume point may no longer be in the oplog.',
  )
}
