import { describe, expect, it } from 'vitest'
import { beginLogin, createTestBed, enrol } from './fixture.ts'

const bed = createTestBed()

describe('attacks on the second factor', () => {
  it('MFA-02 10,000 guesses, 500 at once, against one account are as many as the limit of the account', async () => {
    const service = await bed.start(
      {},
      {
        limits: {
          perAddress: { secondFactor: { limit: 1_000_000 }, login: { limit: 1_000_000 } },
          perAccount: { limit: 10, window: '15m' },
        },
      },
    )
    await enrol(bed, service)
    const token = await beginLogin(service)
    const { factors } = service.auth
    const outcomes: string[] = []
    // In waves: the pool of connections has a limit of time.
    for (let wave = 0; wave < 20; wave += 1) {
      const codes = Array.from({ length: 500 }, (_, at) => String(wave * 500 + at).padStart(6, '0'))
      const guesses = codes.map(async (code) =>
        factors.completeLogin({ token, code }).then(
          () => 'passed',
          (error: unknown) => String(Object(error).code),
        ),
      )
      outcomes.push(...(await Promise.all(guesses)))
    }
    const count = (outcome: string): number => outcomes.filter((own) => own === outcome).length
    expect(count('invalid_code') + count('passed')).toBe(10)
    expect(count('rate_limited')).toBe(9990)
    // Later guesses wait longer and longer: at most one in a minute.
    let tried = 0
    for (let second = 0; second < 600; second += 1) {
      bed.now += 1000
      const error = await factors
        .completeLogin({ token, code: '000000' })
        .catch((thrown: unknown) => thrown)
      if (Object(error).code === 'invalid_token') break
      if (Object(error).code === 'invalid_code') tried += 1
    }
    expect(tried).toBeLessThan(12)
  })
})
