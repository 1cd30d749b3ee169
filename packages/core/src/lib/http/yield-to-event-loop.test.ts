import { describe, expect, it } from 'vitest'
import { yieldToEventLoop } from './yield-to-event-loop.ts'

// What happens in three turns of so many milliseconds: a letter for a turn, a dash for a round.
async function watch(ms: number): Promise<string> {
  let order = ''
  let isOver = false
  function tick(): void {
    order += '-'
    if (!isOver) setImmediate(tick)
  }
  setImmediate(tick)
  const turns = ['a', 'b', 'c'].map(async (name) => {
    await yieldToEventLoop()
    order += name
    const end = performance.now() + ms
    while (performance.now() < end);
  })
  await Promise.all(turns)
  isOver = true
  return order
}

describe('yieldToEventLoop', () => {
  it('F-18 lets everything else happen between two turns', async () => {
    expect(await watch(0)).toMatch(/^-*a-+b-+c/)
  })

  it('F-18 lets more happen after a long turn', async () => {
    expect(await watch(5)).toMatch(/^-*a-{10,}b-{10,}c/)
  })
})
