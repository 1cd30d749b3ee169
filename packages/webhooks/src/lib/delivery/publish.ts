import { type Event } from '@create-api/jobs/events'
import { z } from 'zod'

/** The user or the organization whose endpoints receive a message: `{ owner: userId }`, `{ organization: id }`, or a list of these. */
export type Audience = { readonly owner: unknown } | { readonly organization: unknown }

/** Options of {@link publish}. */
export interface PublishOptions<Data, Schema extends z.ZodType> {
  /**
   * Name of the message for receivers: `type` of the body.
   * @default the name of the event
   */
  name?: string | undefined
  /** The schema of `data` in the body, as JSON. Members that it does not have are left out. */
  schema: Schema
  /**
   * Decides who receives the message: the endpoints of this user or organization, and no others.
   * @param data - the data of the event
   * @returns the user or the organization, a list of these, or undefined for no one
   */
  audience(
    data: Data,
  ):
    | Audience
    | readonly Audience[]
    | undefined
    | Promise<Audience | readonly Audience[] | undefined>
  /**
   * Creates `data` of the body.
   * @param data - the data of the event
   * @default the data of the event
   */
  data?(data: Data): unknown
  /**
   * One line for the OpenAPI document.
   * @default the name of the message
   */
  summary?: string | undefined
}

/** An event that is sent to webhooks. */
export interface PublishedEvent {
  /** Name of the message. */
  readonly name: string
  /** The event that causes it. */
  readonly event: Event<never, unknown>
  /** The schema of `data` in the body. */
  readonly schema: z.ZodType
  /** One line for the OpenAPI document. */
  readonly summary: string | undefined
  /**
   * Returns who receives a message, as filters of endpoints.
   * @param data - the data of the event
   */
  toAudience(data: unknown): Promise<Readonly<Record<string, string>>[]>
  /**
   * Returns `data` of the body.
   * @param data - the data of the event
   */
  toData(data: unknown): unknown
}

/**
 * States that an event is sent to webhooks, to whom, and with which data.
 * @param event - the event, of `defineEvent` or `emitChanges`
 * @param options - schema and audience
 * @returns the published event, for `createWebhooks`
 * @throws TypeError for a name that is not valid, or without an audience
 * @example
 * ```ts
 * publish(postPublished, {
 *   schema: z.object({ postId: z.string() }),
 *   audience: async ({ postId }) => ({ owner: (await PostModel.findById(postId))?.owner }),
 * })
 * ```
 */
export function publish<Data, Schema extends z.ZodType>(
  event: Event<never, Data>,
  options: PublishOptions<Data, Schema>,
): PublishedEvent {
  const { schema, summary, name = event.name } = options
  if (!/^\w+(\.\w+)*$/.test(name)) {
    throw new TypeError(
      `The name of a published event must be words separated by full stops, such as post.published, not '${name}'.`,
    )
  }
  if (typeof options.audience !== 'function') {
    throw new TypeError(
      `publish() of ${name} needs the function audience, which returns who may receive the event: { owner: userId } or { organization: id }.`,
    )
  }
  return {
    name,
    event,
    schema,
    summary,
    async toAudience(data) {
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- parsed by the event
      const result = await options.audience(data as Data)
      const list: readonly unknown[] = Array.isArray(result) ? result : [result]
      return list.filter((one) => one !== undefined).map((one) => toFilter(one, name))
    },
    toData(data) {
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- parsed by the event
      const value = options.data ? options.data(data as Data) : data
      const parsed = schema.safeParse(JSON.parse(JSON.stringify(value ?? null)))
      if (parsed.success) return parsed.data
      throw new TypeError(
        `The data of the webhook ${name} does not match its schema.\n${z.prettifyError(parsed.error)}`,
      )
    },
  }
}

// A filter with anything else, such as undefined, could find the endpoints of others.
function toFilter(audience: unknown, name: string): Readonly<Record<string, string>> {
  const entries = Object.entries(Object(audience))
  const [field, value] = entries[0] ?? []
  const id = typeof value === 'string' ? value : String(Object(value).toHexString?.() ?? '')
  const isField = field === 'owner' || field === 'organization'
  if (entries.length === 1 && isField && /^[\w.@:|-]{1,200}$/.test(id)) return { [field]: id }
  throw new TypeError(
    `audience() of ${name} must return { owner: userId }, { organization: id }, a list of these, or undefined.`,
  )
}
