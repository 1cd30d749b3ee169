import { describe, expect, it } from 'vitest'
import { takeTurn } from './turns.ts'

describe('takeTurn', () => {
  it('F-18 lets everything else happen between two turns', async () => {
    const order: string[] = []
    function tick(): void {
      order.push('-')
      if (order.length < 12) setImmediate(tick)
    }
    setImmediate(tick)
    const turns = ['a', 'b', 'c'].map((name) => takeTurn().then(() => order.push(name)))
    await Promise.all(turns)
    expect(order.join('')).toMatch(/^-*a-+b-+c/)
  })
})
