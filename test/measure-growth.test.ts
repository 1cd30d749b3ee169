import { expect, it } from 'vitest'
import { measureGrowth } from './measure-growth.ts'

function spin(turns: number): number {
  let sum = 0
  for (let turn = 0; turn < turns; turn++) sum = (sum + turn) % 7
  return sum
}

it('distinguishes quadratic from linear time', async () => {
  expect(await measureGrowth((length) => spin(length * 1000), 1000)).toBeLessThan(10)
  expect(await measureGrowth((length) => spin(length ** 2), 1000)).toBeGreaterThan(10)
})
