import { type AnyModel, type Change, recordChanges } from '@create-api/core/internal/jobs'
import { type Event } from './define-event.ts'
import { emit } from './emit.ts'

/** The data of a change of a document. */
export interface ChangeData<Stored> {
  /** Id of the document, as text. */
  readonly id: string
  /** Version of the document after the change, as in its ETag; of a deleted document, the last one. */
  readonly version: number
  /** The document before the change; undefined if it was created. */
  readonly before?: Stored | undefined
  /** The document after the change; undefined if it was deleted. */
  readonly after?: Stored | undefined
}

/** The events of a model. */
export interface ChangeEvents<Stored> {
  /** A document was created. */
  readonly created: Event<ChangeData<Stored>>
  /** A document was replaced, patched or restored. */
  readonly changed: Event<ChangeData<Stored>>
  /** A document was deleted, also where it stays in the database with `deletedAt`. */
  readonly deleted: Event<ChangeData<Stored>>
}

/** Options of {@link emitChanges}. */
export interface ChangeEventOptions<Stored> {
  /**
   * The first part of the names of the events.
   * @default the name of the collection, as in `posts.created`
   */
  name?: string | undefined
  /**
   * Top-level fields that events do not contain, such as secrets.
   * @default []
   */
  except?: readonly (keyof Stored & string)[] | undefined
}

/**
 * Emits an event for each document of a model that `createDocument`, `replaceDocument`, `patchDocument`, `deleteDocument` and
 * `restoreDocument` of `@create-api/core/resource` change. Change and event are one transaction: the one that surrounds the call, or a new
 * one, so that the database must be a replica set or the embedded one. Other calls of Mongoose emit nothing. Events of one document are
 * handled in order.
 * @param model - the model
 * @param options - name, and fields that are left out
 * @returns the events, for `on`
 * @example
 * ```ts
 * export const postEvents = emitChanges(PostModel)
 *
 * export const indexPost = on(postEvents.created, { name: 'index-post', run: async ({ after }) => {} })
 * ```
 */
export function emitChanges<T>(
  model: AnyModel<T>,
  options: ChangeEventOptions<StoredOf<T>> = {},
): ChangeEvents<StoredOf<T>> {
  const { except = [], name = model.collection.name } = options
  const events = {
    created: defineChange<StoredOf<T>>(name, 'created'),
    changed: defineChange<StoredOf<T>>(name, 'changed'),
    deleted: defineChange<StoredOf<T>>(name, 'deleted'),
  }
  recordChanges(model, async (change, session) => {
    await emit(events[change.kind], toData(change, except), { session, connection: model.db })
  })
  return events
}

/** A stored document of a model, as `createDocument` returns it. */
export type StoredOf<T> = NonNullable<
  Parameters<Parameters<typeof recordChanges<T>>[1]>[0]['after']
>

function defineChange<Stored>(name: string, kind: string): Event<ChangeData<Stored>> {
  return {
    name: `${name}.${kind}`,
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- written by `toData`
    parse: (data) => data as ChangeData<Stored>,
    toKey: ({ id }) => `${name}/${id}`,
  }
}

function toData<Stored extends object>(
  { after, before }: Change<Stored>,
  except: readonly string[],
): ChangeData<Stored> {
  const { __v: version, _id: id } = Object(after ?? before)
  return {
    id: String(id),
    version: Number(version ?? 0),
    ...(before && { before: omit(before, except) }),
    ...(after && { after: omit(after, except) }),
  }
}

function omit<Stored extends object>(document: Stored, except: readonly string[]): Stored {
  const copy = { ...document }
  for (const field of except) Reflect.deleteProperty(copy, field)
  return copy
}
