import { type Job, readRunOptions, requireName, type RunOptions } from '../job/define-job.ts'
import { type JobContext } from '../job/job-context.ts'
import { JobError } from '../job/job-error.ts'
import { type EventCaller, type EventRecord } from '../queue/store.ts'
import { type Event } from './define-event.ts'

/** An event that a handler receives, without its data. */
export interface EventFacts {
  /** Id of the event, the same for all handlers and attempts. */
  readonly id: string
  /** Name of the event. */
  readonly name: string
  /** When it was emitted, by the clock of the database. */
  readonly at: Date
  /** Its key, if it has one. */
  readonly key: string | undefined
  /** Increases with each event of the key. */
  readonly position: number | undefined
  /** Id of the request that has emitted it, if one has. */
  readonly requestId: string | undefined
  /** Who has caused it, as far as the request knew. */
  readonly caller: EventCaller | undefined
}

/** One attempt of a handler. */
export interface HandlerContext extends JobContext {
  /** The event. */
  readonly event: EventFacts
}

/** Options of {@link on}. */
export interface HandlerOptions<Data> extends RunOptions {
  /** Stable name, unique among the jobs and handlers of the service: it is stored. */
  name: string
  /**
   * Handles an event. It can be run more than once: see `context.attempt`.
   * @param data - the parsed data
   * @param context - the attempt and the event
   */
  run(data: Data, context: HandlerContext): unknown
}

/** A handler of events: a job that each of them adds. */
export interface EventHandler extends Job {
  /** Names of the events. */
  readonly events: readonly string[]
}

type DataOf<E> = E extends Event<never, infer Data> ? Data : never

/**
 * Defines a handler of one or more events. Each event is handled at least once, after its transaction was committed; events with one key one
 * at a time, in their order. List the handler in `createJobs`.
 * @param events - the event, or a list of events
 * @param options - name, what it does, and how it is retried
 * @returns the handler
 * @throws TypeError that names the option that is not valid
 * @example
 * ```ts
 * export const indexPost = on(postPublished, {
 *   name: 'index-post',
 *   async run({ postId }) {
 *     await updateIndex(postId)
 *   },
 * })
 * ```
 */
export function on<const E extends Event<never, unknown>>(
  events: E | readonly E[],
  options: HandlerOptions<DataOf<E>>,
): EventHandler {
  const name = requireName(options.name, 'on(…, { name })')
  if (typeof options.run !== 'function') {
    throw new TypeError(`on(…, { run }) of ${name} must be a function.`)
  }
  const list: readonly Event<never, unknown>[] = Array.isArray(events) ? events : [events]
  const byName = new Map(list.map((event) => [event.name, event]))
  if (byName.size === 0) throw new TypeError(`The handler ${name} has no event.`)
  return {
    name,
    events: [...byName.keys()],
    settings: readRunOptions(options, name),
    toKey: () => undefined,
    parse(stored) {
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- written by `dispatchEvents`
      const { data, ...facts } = stored as StoredDelivery
      const event = byName.get(facts.name)
      if (!event) throw new JobError('job_input', `${name} does not handle ${facts.name}.`)
      return { data: event.parse(data), facts }
    },
    run(parsed, context) {
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what `parse` has returned
      const { data, facts } = parsed as { data: DataOf<E>; facts: EventFacts }
      return options.run(data, { ...context, event: facts })
    },
  }
}

// The input of the job of a handler.
interface StoredDelivery extends EventFacts {
  readonly data: unknown
}

export function toDelivery(event: EventRecord): StoredDelivery {
  const { _id, at, caller, data, key, name, position, requestId } = event
  return { id: _id, name, at, key, position, requestId, caller, data }
}
