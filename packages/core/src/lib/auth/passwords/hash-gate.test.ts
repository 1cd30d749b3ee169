import { describe, expect, it } from 'vitest'
import { createHashGate } from './hash-gate.ts'

function createWork(): {
  work: () => Promise<string>
  finish: () => void
  isStarted: () => boolean
} {
  let isStarted = false
  let finish = (): void => {}
  const done = new Promise<string>((resolve) => {
    finish = () => resolve('done')
  })
  const work = (): Promise<string> => {
    isStarted = true
    return done
  }
  return { work, finish: () => finish(), isStarted: () => isStarted }
}

async function settle(): Promise<void> {
  for (let tick = 0; tick < 5; tick++) await Promise.resolve()
}

describe('createHashGate', () => {
  it('PWD-09 runs a bounded number at a time, the rest in order', async () => {
    const gate = createHashGate({ concurrency: 2, queue: 10, wait: 10_000 })
    const works = [createWork(), createWork(), createWork(), createWork()]
    const results = works.map(({ work }) => gate.run(work))
    await settle()
    expect(works.map(({ isStarted }) => isStarted())).toEqual([true, true, false, false])
    works[1]?.finish()
    await results[1]
    await settle()
    expect(works.map(({ isStarted }) => isStarted())).toEqual([true, true, true, false])
    for (const { finish } of works) finish()
    expect(await Promise.all(results)).toEqual(Array<string>(4).fill('done'))
  })

  it('PWD-09 rejects work beyond the queue', async () => {
    const gate = createHashGate({ concurrency: 1, queue: 1, wait: 10_000 })
    const [first, second] = [createWork(), createWork()]
    const running = [gate.run(first.work)]
    expect(() => gate.requirePlace()).not.toThrow()
    running.push(gate.run(second.work))
    await expect(gate.run(first.work)).rejects.toMatchObject({
      code: 'overloaded',
      headers: { 'Retry-After': '2' },
    })
    expect(() => gate.requirePlace()).toThrow(expect.objectContaining({ code: 'overloaded' }))
    first.finish()
    second.finish()
    await Promise.all(running)
    expect(() => gate.requirePlace()).not.toThrow()
    await expect(gate.run(first.work)).resolves.toBe('done')
  })

  it('PWD-09 rejects work that waits too long', async () => {
    const gate = createHashGate({ concurrency: 1, queue: 5, wait: 20 })
    const first = createWork()
    const running = gate.run(first.work)
    const late = createWork()
    await expect(gate.run(late.work)).rejects.toMatchObject({ code: 'overloaded' })
    expect(late.isStarted()).toBe(false)
    first.finish()
    await running
  })

  it('passes the slot on when the work fails', async () => {
    const gate = createHashGate({ concurrency: 1, queue: 5, wait: 10_000 })
    const fail = gate.run(async () => Promise.reject(new Error('no')))
    const next = gate.run(async () => 'next')
    await expect(fail).rejects.toThrow('no')
    await expect(next).resolves.toBe('next')
  })
})
