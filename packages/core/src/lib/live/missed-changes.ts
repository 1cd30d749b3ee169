import { type mongo } from 'mongoose'
import { type Change, isHistoryLost, openStream, toChange, toToken } from './change-stream.ts'

const parallelReads = 5
const missedLimit = 10_000
const missedMs = 30_000

interface Gap {
  readonly since: mongo.Timestamp
  /** The last change, or the time before which the changes are read. */
  readonly until: { readonly token: string; readonly time: mongo.Timestamp }
}

let reading = 0
const waiting: (() => void)[] = []

// Reads the changes of the past; undefined if the database no longer has all of them, or if there are too many. Each gap
// needs a change stream for a moment.
export async function readMissed(
  collection: mongo.Collection,
  gap: Gap,
): Promise<Change[] | undefined> {
  if (reading >= parallelReads) await new Promise<void>((resolve) => waiting.push(resolve))
  reading += 1
  try {
    return await read(collection, gap)
  } finally {
    reading -= 1
    waiting.shift()?.()
  }
}

async function read(
  collection: mongo.Collection,
  { since, until }: Gap,
): Promise<Change[] | undefined> {
  const stream = openStream(collection, since)
  const deadline = performance.now() + missedMs
  const found: Change[] = []
  try {
    while (found.length <= missedLimit && performance.now() < deadline) {
      const event = await stream.tryNext()
      if (!event) {
        if (until.token !== '' && toToken(stream.resumeToken) >= until.token) return found
        continue
      }
      const change = toChange(event)
      if (!change) return undefined
      if (isAfter(change, until)) return found
      found.push(change)
      if (change.token === until.token) return found
    }
    return undefined
  } catch (error) {
    if (isHistoryLost(error)) return undefined
    throw error
  } finally {
    await stream.close()
  }
}

function isAfter(change: Change, { time, token }: Gap['until']): boolean {
  return token === '' ? change.time.greaterThanOrEqual(time) : change.token > token
}
