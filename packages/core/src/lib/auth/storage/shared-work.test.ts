import { setImmediate as nextTurn } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { batchReads } from './shared-work.ts'

function make(load = (key: string): string | undefined => `value of ${key}`): {
  read: (key: string) => Promise<string | undefined>
  loads: string[][]
} {
  const loads: string[][] = []
  const read = batchReads(async (keys) => {
    loads.push([...keys])
    const values = keys.map((key) => [key, load(key)] as const)
    return new Map(values.flatMap(([key, value]) => (value === undefined ? [] : [[key, value]])))
  })
  return { read, loads }
}

describe('batchReads', () => {
  it('loads the keys of one turn together, no key twice', async () => {
    const { read, loads } = make()
    const values = await Promise.all(['a', 'b', 'a'].map((key) => read(key)))
    expect(values).toEqual(['value of a', 'value of b', 'value of a'])
    expect(loads).toEqual([['a', 'b']])
  })

  it('caches nothing: a later read sees what was written in the meantime', async () => {
    let value = 'old'
    const { read, loads } = make(() => value)
    const first = read('a')
    await nextTurn()
    value = 'new'
    expect(await read('a')).toBe('new')
    expect(await first).toBe('old')
    expect(loads).toEqual([['a'], ['a']])
  })

  it('returns undefined for an unknown key', async () => {
    const { read } = make((key) => (key === 'a' ? 'value' : undefined))
    expect(await Promise.all([read('a'), read('b')])).toEqual(['value', undefined])
  })

  it('fails for the reads of one batch, and not for the next', async () => {
    let isDown = true
    const { read } = make(() => {
      if (isDown) throw new Error('down')
      return 'value'
    })
    const results = await Promise.allSettled([read('a'), read('b')])
    expect(results.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
    isDown = false
    expect(await read('a')).toBe('value')
  })
})
