import { describe, expect, expectTypeOf, it } from 'vitest'
import { z } from 'zod'
import { ConfigError } from './config-error.ts'
import { readEnv } from './read-env.ts'

describe('readEnv', () => {
  it('reads variables of an app, typed by their schemas', () => {
    const env = readEnv(
      { SMTP_URL: z.url(), RETRIES: z.coerce.number().int().default(3) },
      { SMTP_URL: 'smtp://mail.internal', RETRIES: '', OTHER: 'x' },
    )
    expectTypeOf(env).toEqualTypeOf<{ SMTP_URL: string; RETRIES: number }>()
    expect(env).toEqual({ SMTP_URL: 'smtp://mail.internal', RETRIES: 3 })
  })

  it('CFG-01 lists every problem at once, without values', () => {
    const shape = { A: z.url(), B: z.string(), C: z.string().min(20) }
    const read = (): unknown => readEnv(shape, { A: 'hunter1', C: 'hunter2' })
    expect(read).toThrow(ConfigError)
    expect(read).toThrow(
      'The configuration cannot be used:\n  A  must be a URL\n  B  is required\n  C  must have at least 20 characters',
    )
    expect(read).not.toThrow('hunter')
  })
})
