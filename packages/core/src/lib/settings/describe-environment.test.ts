import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { createApi } from '../create-api.ts'
import { createRegistry } from '../routing/registry.ts'
import { type ApiOptions } from './api-options.ts'
import {
  describeEnvironment,
  recordEnvironment,
  type VariableState,
} from './describe-environment.ts'
import { readEnv } from './read-env.ts'

const routes = createRegistry()

function find(
  name: string,
  env: Record<string, string> = {},
  config?: Partial<ApiOptions>,
): VariableState | undefined {
  return describeEnvironment(env, config).find((state) => state.name === name)
}

describe('describeEnvironment', () => {
  it('shows where a value comes from', () => {
    expect(find('PORT')).toMatchObject({ value: '3000', default: '3000', source: 'default' })
    expect(find('PORT', { PORT: '80' })).toMatchObject({ value: '80', source: 'environment' })
    expect(find('JWT_ISSUER')).toMatchObject({ value: undefined, source: 'unset' })
    const config = { server: { port: 4000 } }
    expect(find('PORT', { PORT: '80' }, config)).toMatchObject({ value: '4000', source: 'option' })
  })

  it('has the defaults of the environment the service runs in', () => {
    expect(find('LOG_FORMAT')).toMatchObject({ value: 'text' })
    expect(find('LOG_FORMAT', { NODE_ENV: 'production' })).toMatchObject({ value: 'json' })
  })

  it('shows no secret', () => {
    const env = { JWT_SECRET: 'a-secret', MONGODB_URI: 'mongodb://user:a-secret@host/app' }
    expect(JSON.stringify(describeEnvironment(env))).not.toContain('a-secret')
    expect(find('JWT_SECRET', env)).toMatchObject({ value: undefined, source: 'environment' })
  })

  it('reports what cannot be used', () => {
    expect(find('PORT', { PORT: 'x' })?.problem).toContain('must be a whole number')
    expect(find('PORT', {}, { server: { port: -1 } })?.problem).toContain('must be a whole number')
    expect(find('JWT_SECRET', { NODE_ENV: 'production' }, {})?.problem).toContain('is missing')
  })
})

describe('recordEnvironment', () => {
  it('records the options of createApi, rejected ones too', () => {
    const record = recordEnvironment({})
    const port = (): VariableState | undefined => record().find(({ name }) => name === 'PORT')
    expect(port()).toMatchObject({ value: '3000', source: 'default' })
    createApi({ routes, server: { port: 4000 }, database: false, auth: false })
    expect(port()).toMatchObject({ value: '4000', source: 'option' })
    expect(() => createApi({ routes, server: { port: -1 } })).toThrow('server.port')
    expect(port()?.problem).toContain('must be a whole number')
  })

  it('records the variables of the service, rejected ones too', () => {
    const shape = {
      SMTP_HOST: z.string().describe('Host of the mail server.'),
      SMTP_PORT: z.coerce.number().default(25),
      SMTP_PASSWORD: z.string().optional(),
      PIN: z.string().meta({ secret: true, description: 'Opens the gate.' }),
    }
    const env = { SMTP_PASSWORD: 'hidden', PIN: 'hidden' }
    const record = recordEnvironment(env)
    const own = (name: string): VariableState | undefined =>
      record().find((state) => state.name === name)
    expect(() => readEnv(shape, env)).toThrow('SMTP_HOST')
    expect(own('SMTP_HOST')).toMatchObject({
      meaning: 'Host of the mail server.',
      source: 'unset',
      problem: expect.any(String),
      option: undefined,
    })
    expect(own('SMTP_PORT')).toMatchObject({ value: '25', source: 'default' })
    expect(own('PIN')).toMatchObject({ isSecret: true, meaning: 'Opens the gate.' })
    expect(JSON.stringify(record())).not.toContain('hidden')
  })
})
