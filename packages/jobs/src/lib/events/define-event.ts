import { type z } from 'zod'
import { parseWith, requireName } from '../job/define-job.ts'

/** Options of {@link defineEvent}. */
export interface EventDefinition<Data> {
  /**
   * Names what an event is about, such as `posts/` and an id. Handlers receive the events of one key in the order of their transactions.
   * @param data - the data
   * @default undefined, no order
   */
  key?(data: Data): string | undefined
}

/** Something that has happened, and that handlers can react to. */
export interface Event<Data = unknown, Parsed = Data> {
  /** Its name. */
  readonly name: string
  /**
   * Parses stored data.
   * @param data - the data
   * @returns the parsed data
   * @throws JobError `job_input` when it does not match the schema
   */
  parse(data: unknown): Parsed
  /**
   * Returns the key of an event.
   * @param data - the data
   * @returns the key; undefined if it has none
   */
  toKey(data: Data): string | undefined
}

/**
 * Defines an event by its name and the schema of its data.
 * @param name - stable name, such as `post.published`: it is stored
 * @param schema - schema of the data; the data is stored as it was given, and parsed before each handler
 * @param options - the key, which orders events
 * @returns the event, for `emit` and `on`
 * @throws TypeError for a name that is not valid
 * @example
 * ```ts
 * export const postPublished = defineEvent('post.published', z.object({ postId: z.string() }), {
 *   key: ({ postId }) => `posts/${postId}`,
 * })
 * ```
 */
export function defineEvent<Schema extends z.ZodType>(
  name: string,
  schema: Schema,
  options: EventDefinition<z.input<Schema>> = {},
): Event<z.input<Schema>, z.output<Schema>> {
  requireName(name, 'The name of defineEvent()')
  return {
    name,
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- parsed by the schema
    parse: (data) => parseWith(schema, data, `The data of the event ${name}`) as z.output<Schema>,
    toKey: (data) => options.key?.(data),
  }
}
