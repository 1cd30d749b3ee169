import { setImmediate as nextTurn } from 'node:timers/promises'
import { Types } from 'mongoose'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { Lane, type ReadLane } from './shared-commands.ts'

const ids = Array.from({ length: 250 }, () => new Types.ObjectId())

// Reads of a lane, and the ids of each query.
function make(): {
  lane: ReadLane
  queries: number[]
  read: (key: string, at?: number) => Promise<number>
} {
  const lane: ReadLane = new Lane()
  const queries: number[] = []
  return {
    lane,
    queries,
    read: (key, at = Infinity) => {
      const id = ids[at]
      return lane.share({
        key,
        ...(id && { item: [String(id), id] }),
        run: async (own) => queries.push(own.length),
      })
    },
  }
}

afterEach(() => void vi.useRealTimers())

describe('Lane', () => {
  it('makes one query for the reads of one key in one turn', async () => {
    const { queries, read } = make()
    expect(await Promise.all([read('a'), read('a'), read('b'), read('a')])).toEqual([1, 1, 2, 1])
    expect(queries).toEqual([0, 0])
  })

  it('gives a query every id once, and 100 at most', async () => {
    const { queries, read } = make()
    await Promise.all([...ids.keys(), 249, 249].map((at) => read('a', at)))
    expect(queries).toEqual([100, 100, 50])
  })

  it('begins the query after the last read of the turn, and shares it with no later one', async () => {
    const { lane, queries, read } = make()
    const first = read('a')
    await Promise.resolve()
    const second = read('a')
    expect([queries, lane.isIdle]).toEqual([[], false])
    await nextTurn()
    expect(await Promise.all([first, second, read('a')])).toEqual([1, 1, 2])
  })

  it('is idle until a query begins, and again after its end', async () => {
    const { lane } = make()
    expect(lane.isIdle).toBe(true)
    const failing = lane.run(async () => {
      await nextTurn()
      throw new Error('down')
    })
    expect(lane.isIdle).toBe(false)
    await expect(failing).rejects.toThrow('down')
    expect(lane.isIdle).toBe(true)
  })

  it('does not need timers that a test replaces', async () => {
    vi.useFakeTimers()
    expect(await make().read('a')).toBe(1)
  })
})
