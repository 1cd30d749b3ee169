import { type Access, type OpenApiWebhook, type Router } from '@create-api/core'
import { createSecretBox, type Duration, parseDuration } from '@create-api/core/internal/sign-in'
import { type Job } from '@create-api/jobs'
import { type EventHandler } from '@create-api/jobs/events'
import mongoose, { type Connection } from 'mongoose'
import { createDeliver } from './delivery/deliver.ts'
import { createFanOut } from './delivery/fan-out.ts'
import { describeEvents } from './delivery/describe-events.ts'
import { createNotify } from './delivery/notify.ts'
import { type WebhookMail, type WebhookParts } from './delivery/parts.ts'
import { type PublishedEvent } from './delivery/publish.ts'
import { createAddressRules } from './network/address-rules.ts'
import { type Resolve, resolveBySystem } from './network/target.ts'
import { createWebhookRouter } from './routes/webhook-routes.ts'
import { createModels } from './store/models.ts'

/** Options of {@link createWebhooks}. */
export interface WebhooksOptions {
  /** The events that endpoints can receive. */
  events: readonly PublishedEvent[]
  /**
   * Secrets of 32 characters or more, which encrypt the secrets of endpoints. The first one encrypts, and all decrypt: to rotate, put a new
   * one first.
   */
  encryptionKeys: readonly string[]
  /**
   * Mails to the owner of an endpoint that was disabled because it failed for days or responded with 410.
   * @default undefined, no mails
   */
  mail?: WebhookMail | undefined
  /**
   * Time before each further attempt.
   * @default ['5s', '5m', '30m', '2h', '5h', '10h', '14h', '20h', '24h']
   */
  retries?: readonly Duration[] | undefined
  /**
   * An endpoint is disabled if all attempts have failed for this time.
   * @default '3d'
   */
  disableAfter?: Duration | undefined
  /**
   * Time within which an endpoint must respond, 1s to 60s.
   * @default '15s'
   */
  timeout?: Duration | undefined
  /**
   * How long the previous secret signs, too, after a rotation.
   * @default '24h'
   */
  secretOverlap?: Duration | undefined
  /**
   * How long deliveries are kept; longer than all `retries` together.
   * @default '30d'
   */
  keepDeliveries?: Duration | undefined
  /**
   * Most endpoints of a user or organization.
   * @default 20
   */
  maxEndpoints?: number | undefined
  /**
   * Whether URLs may begin with `http://`.
   * @default false
   */
  allowHttp?: boolean | undefined
  /**
   * Networks that requests may be sent to although they are not public, such as `127.0.0.0/8` in tests.
   * @default []
   */
  allowedNetworks?: readonly string[] | undefined
  /**
   * Finds the addresses of a host.
   * @default the resolver of the operating system
   */
  resolve?: Resolve | undefined
  /**
   * The connection of the database: that of `createJobs`.
   * @default mongoose.connection
   */
  connection?: Connection | undefined
}

/** The webhooks of a service. */
export interface Webhooks {
  /**
   * Creates the routes of endpoints: `createRegistry().use('/api/webhooks', webhooks.router())`. Mounted twice, with `owner` and with
   * `memberRole('admin')` of `@create-api/core/tenants`, users and organizations have endpoints.
   * @param access - who may call the routes, and whose endpoints they are: a rule whose filter names `owner` or `organization`; `owner` by
   * default
   */
  router(access?: Access): Router
  /** For the option `jobs` of `createJobs`. */
  readonly jobs: readonly Job<never>[]
  /** For the option `handlers` of `createJobs`. */
  readonly handlers: readonly EventHandler[]
  /** Describes the messages, for the OpenAPI document: `createApi({ openapi: { webhooks: webhooks.openapi } })`. */
  readonly openapi: Readonly<Record<string, OpenApiWebhook>>
}

// The example of the specification.
const schedule = ['5s', '5m', '30m', '2h', '5h', '10h', '14h', '20h', '24h'] as const

/**
 * Sends events of the service to the endpoints of users or organizations, by the Standard Webhooks specification: signed, retried for about three
 * days, and never to an address that is not on the public Internet.
 * @param options - events, encryption keys and limits
 * @returns the routes of the endpoints, and the jobs and handlers that send
 * @throws TypeError that names the option that is not valid
 * @example
 * ```ts
 * const webhooks = createWebhooks({ events: [publishedPost], encryptionKeys: [process.env.WEBHOOK_KEY ?? ''] })
 *
 * export const api = createApi({
 *   routes: createRegistry().use('/api/webhooks', webhooks.router()),
 *   jobs: createJobs({ jobs: webhooks.jobs, handlers: webhooks.handlers }),
 *   openapi: { webhooks: webhooks.openapi },
 * })
 * ```
 */
export function createWebhooks(options: WebhooksOptions): Webhooks {
  const parts = readOptions(options)
  const notify = createNotify(parts)
  const deliver = createDeliver(parts, notify)
  return {
    router: (access = 'owner') => createWebhookRouter(parts, { access, deliver }),
    jobs: [deliver, notify],
    handlers: [createFanOut(parts, deliver)],
    openapi: describeEvents(parts.events),
  }
}

function readOptions(options: WebhooksOptions): WebhookParts {
  const { events, maxEndpoints = 20, retries = schedule } = options
  const retryMs = retries.map((value) => readTime({ retries: value }, 'retries', '0s'))
  const keepMs = readTime(options, 'keepDeliveries', '30d', [1])
  if (keepMs <= retryMs.reduce((sum, ms) => sum + ms, 0)) {
    throw new TypeError(
      'createWebhooks({ keepDeliveries }) must be longer than all retries together.',
    )
  }
  if (!Number.isInteger(maxEndpoints) || maxEndpoints < 1) {
    throw new TypeError('createWebhooks({ maxEndpoints }) must be a whole number from 1.')
  }
  return {
    models: createModels(options.connection ?? mongoose.connection),
    box: createSecretBox(requireKeys(options.encryptionKeys), 'webhook secrets v1'),
    events: requireEvents(events),
    rules: {
      isAllowed: createAddressRules(options.allowedNetworks),
      allowHttp: options.allowHttp ?? false,
      resolve: options.resolve ?? resolveBySystem,
    },
    timeoutMs: readTime(options, 'timeout', '15s', [1000, 60_000]),
    retries: retryMs,
    disableAfterMs: readTime(options, 'disableAfter', '3d'),
    keepMs,
    overlapMs: readTime(options, 'secretOverlap', '24h'),
    maxEndpoints,
    mail: options.mail,
  }
}

function readTime<Name extends string>(
  options: { readonly [N in Name]?: Duration | undefined },
  name: Name,
  fallback: Duration,
  [least, most = Infinity]: readonly [least: number, most?: number] = [0],
): number {
  const subject = `createWebhooks({ ${name} })`
  const ms = parseDuration(options[name] ?? fallback, subject)
  if (ms >= least && ms <= most) return ms
  throw new TypeError(
    `${subject} must be at least ${least}ms${most === Infinity ? '' : ` and at most ${most}ms`}.`,
  )
}

function requireKeys(keys: readonly string[]): readonly string[] {
  const isValid = Array.isArray(keys) && keys.length > 0 && keys.every((key) => key?.length >= 32)
  if (isValid) return keys
  throw new TypeError(
    'createWebhooks({ encryptionKeys }) must be one or more secrets of at least 32 characters.',
  )
}

function requireEvents(events: readonly PublishedEvent[]): readonly PublishedEvent[] {
  if (!Array.isArray(events) || events.length === 0) {
    throw new TypeError('createWebhooks({ events }) must be one or more results of publish().')
  }
  const names = events.map(({ name }) => name)
  const twice = names.find((name, index) => names.indexOf(name) !== index)
  if (twice === undefined) return events
  throw new TypeError(`createWebhooks({ events }) has two events with the name ${twice}.`)
}
