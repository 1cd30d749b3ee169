import { array, assert, asyncProperty, integer, jsonValue, nat } from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type Piece, splitArray } from './split-array.ts'

async function split(pieces: readonly string[]): Promise<readonly Piece[]> {
  async function* read(): AsyncGenerator<string> {
    yield* pieces
  }
  const found: Piece[] = []
  for await (const piece of splitArray('a.json', read())) found.push(piece)
  return found
}

describe('splitArray', () => {
  it('finds the elements of any array, in pieces of any length', async () => {
    const arrays = array(jsonValue())
    await assert(
      asyncProperty(arrays, integer({ min: 1, max: 7 }), nat(2), async (values, size, space) => {
        const text = JSON.stringify(values, undefined, space)
        const pieces = text.match(new RegExp(`[^]{1,${size}}`, 'g')) ?? []
        const elements = await split(pieces)
        expect(elements.map((one) => JSON.parse(one.text))).toEqual(JSON.parse(text))
      }),
    )
  })

  it('names the line at which an element begins', async () => {
    const elements = await split(['[\n {"a":1,\n"b":2},', '\n\n3]\n'])
    expect(elements.map(({ line }) => line)).toEqual([2, 5])
  })
})
