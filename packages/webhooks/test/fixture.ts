import { createApi, createRegistry, type Logger } from '@create-api/core'
import { createTestClient, type TestClient, type TestUser } from '@create-api/core/testing'
import { createTenants, memberRole, type Tenants } from '@create-api/core/tenants'
import { type Auth, type Mail } from '@create-api/core/auth'
import { createJobs } from '@create-api/jobs'
import { defineEvent } from '@create-api/jobs/events'
import { type RanJob, runJobs } from '@create-api/jobs/testing'
import { createWebhooks, publish } from '@create-api/webhooks'
import mongoose from 'mongoose'
import { afterAll, beforeAll } from 'vitest'
import { z } from 'zod'
import { postPublished } from './events.ts'

export const brokenEvent = defineEvent('broken', z.object({ owner: z.string() }))

export interface Bed {
  readonly client: () => TestClient
  readonly auth: () => Auth
  readonly tenants: () => Tenants
  readonly mails: Mail[]
  /** Warnings of the log. */
  readonly warnings: string[]
  /** The addresses of names. */
  readonly names: Map<string, string[]>
  user(): Promise<TestUser>
  run(): Promise<RanJob[]>
  /** Runs what is due, and the next attempt of every delivery. */
  later(): Promise<void>
}

/** An API with webhooks for users and for organizations. */
export function createBed(options: Partial<Parameters<typeof createWebhooks>[0]> = {}): Bed {
  let client: TestClient
  const mails: Mail[] = []
  const warnings: string[] = []
  const logger: Logger = {
    debug() {},
    info() {},
    warn: (fields, message) => void warnings.push(`${message} ${JSON.stringify(fields)}`),
    error() {},
    fatal() {},
  }
  const names = new Map<string, string[]>()
  const webhooks = createWebhooks({
    events: [
      publish(postPublished, {
        summary: 'A post was published',
        schema: z.object({ postId: z.string() }),
        audience: ({ organization, owner }) =>
          owner === undefined
            ? organization === undefined
              ? undefined
              : { organization }
            : { owner },
      }),
      publish(brokenEvent, {
        schema: z.object({ missing: z.string() }),
        audience: ({ owner }) => ({ owner }),
      }),
    ],
    encryptionKeys: ['0123456789abcdef0123456789abcdef'],
    allowHttp: true,
    allowedNetworks: ['127.0.0.1/32'],
    timeout: '1s',
    maxEndpoints: 3,
    resolve: async (host: string) => names.get(host) ?? [],
    mail: {
      mailer: { send: async (mail: Mail) => void mails.push(mail) },
      addresses: async ({ organization, owner }: { owner?: string; organization?: string }) => [
        `${owner ?? organization}@example.com`,
      ],
    },
    ...options,
  })
  const api = createApi({
    name: 'hooks',
    environment: 'test',
    log: { logger },
    rateLimit: false,
    routes: createRegistry()
      .use('/api/webhooks', webhooks.router())
      .use('/api/everyone', webhooks.router('user'))
      .use('/api/orgs/:org/webhooks', webhooks.router(memberRole('admin'))),
    tenants: createTenants(),
    auth: {
      mail: {
        appUrl: 'https://app.example.com',
        mailer: { send: async (mail) => void mails.push(mail) },
      },
    },
    jobs: createJobs({ jobs: webhooks.jobs, handlers: webhooks.handlers }),
    openapi: { webhooks: webhooks.openapi },
  })
  beforeAll(async () => {
    client = await createTestClient(api)
  })
  afterAll(() => client.stop())
  const run = (): Promise<RanJob[]> => runJobs(api)
  return {
    client: () => client,
    auth() {
      if (!api.auth) throw new Error('Authentication is off.')
      return api.auth
    },
    tenants() {
      if (!api.tenants) throw new Error('There are no organizations.')
      return api.tenants
    },
    mails,
    warnings,
    names,
    user: () => client.signUp(),
    run,
    async later() {
      await run()
      await mongoose.connection
        .collection('queue_jobs')
        .updateMany({ state: 'waiting' }, [{ $set: { due: '$$NOW' } }])
      await run()
    },
  }
}
