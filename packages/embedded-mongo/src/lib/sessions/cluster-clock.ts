import { Binary, Long, Timestamp } from 'bson'
import { elements } from '../wire/reply.ts'

const signature = { hash: new Binary(Buffer.alloc(20)), keyId: Long.ZERO }
const zeroTime = new Timestamp({ t: 0, i: 0 })

export interface ClusterClock {
  // The time of the last write.
  now(): Timestamp
  // Advances, as every write does.
  tick(): Timestamp
  // `operationTime` and `$clusterTime`, encoded; valid until the next call.
  replyElements(): Buffer
}

export function createClusterClock(): ClusterClock {
  let seconds = Math.floor(Date.now() / 1000)
  let counter = 1
  const encoded = Buffer.from(
    elements({
      operationTime: zeroTime,
      $clusterTime: { clusterTime: zeroTime, signature: signature },
    }),
  )
  const places = [
    encoded.indexOf('operationTime\0') + 'operationTime\0'.length,
    encoded.indexOf('\x11clusterTime\0') + '\x11clusterTime\0'.length,
  ]
  return {
    now: () => new Timestamp({ t: seconds, i: counter }),
    tick() {
      const current = Math.floor(Date.now() / 1000)
      counter = current > seconds ? 1 : counter + 1
      seconds = Math.max(seconds, current)
      return new Timestamp({ t: seconds, i: counter })
    },
    replyElements() {
      for (const place of places) {
        encoded.writeUInt32LE(counter, place)
        encoded.writeUInt32LE(seconds, place + 4)
      }
      return encoded
    },
  }
}
