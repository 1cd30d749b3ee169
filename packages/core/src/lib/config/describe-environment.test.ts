import { afterEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { createApi } from '../create-api.ts'
import { createRegistry } from '../routing/registry.ts'
import { describeEnvironment, type VariableState } from './describe-environment.ts'
import { readEnv } from './read-env.ts'
import { seen } from './seen.ts'

const routes = createRegistry()

afterEach(() => {
  seen.config = undefined
  seen.own.clear()
})

function find(name: string, env: Record<string, string> = {}): VariableState | undefined {
  return describeEnvironment(env).find((state) => state.name === name)
}

describe('describeEnvironment', () => {
  it('says where a value comes from', () => {
    expect(find('PORT')).toMatchObject({ value: '3000', default: '3000', source: 'default' })
    expect(find('PORT', { PORT: '80' })).toMatchObject({ value: '80', source: 'environment' })
    expect(find('JWT_ISSUER')).toMatchObject({ value: undefined, source: 'unset' })
    createApi({ routes, server: { port: 4000 }, database: false, auth: false })
    expect(find('PORT', { PORT: '80' })).toMatchObject({ value: '4000', source: 'option' })
  })

  it('has the defaults of where the service runs', () => {
    expect(find('LOG_FORMAT')).toMatchObject({ value: 'text' })
    expect(find('LOG_FORMAT', { NODE_ENV: 'production' })).toMatchObject({ value: 'json' })
  })

  it('shows no secret', () => {
    const env = { JWT_SECRET: 'a-secret', MONGODB_URI: 'mongodb://user:a-secret@host/app' }
    expect(JSON.stringify(describeEnvironment(env))).not.toContain('a-secret')
    expect(find('JWT_SECRET', env)).toMatchObject({ value: undefined, source: 'environment' })
  })

  it('tells what cannot be used, also when nothing could be made of it', () => {
    expect(find('PORT', { PORT: 'x' })?.problem).toContain('must be a whole number')
    expect(() => createApi({ routes, server: { port: -1 } })).toThrow('server.port')
    expect(find('PORT')?.problem).toContain('must be a whole number')
    expect(find('JWT_SECRET', { NODE_ENV: 'production' })?.problem).toContain('is missing')
  })

  it('knows the variables of the service, refused ones too', () => {
    const shape = {
      SMTP_HOST: z.string().describe('Where mails go.'),
      SMTP_PORT: z.coerce.number().default(25),
      SMTP_PASSWORD: z.string().optional(),
      PIN: z.string().meta({ secret: true, description: 'Of the door.' }),
    }
    const env = { SMTP_PASSWORD: 'hidden', PIN: 'hidden' }
    expect(() => readEnv(shape, env)).toThrow('SMTP_HOST')
    expect(find('SMTP_HOST', env)).toMatchObject({
      meaning: 'Where mails go.',
      source: 'unset',
      problem: expect.any(String),
      option: undefined,
    })
    expect(find('SMTP_PORT', env)).toMatchObject({ value: '25', source: 'default' })
    expect(find('PIN', env)).toMatchObject({ isSecret: true, meaning: 'Of the door.' })
    expect(JSON.stringify(describeEnvironment(env))).not.toContain('hidden')
  })
})
