import { decode } from '../bson/decode.ts'
import { type Doc } from '../bson/document.ts'
import { type Change, type SchemaChange } from '../storage/view.ts'
import { type ChangeEvent } from './change-log.ts'
import { describeUpdate } from './update-description.ts'

/**
 * An event as change streams tell it.
 *
 * @param event The event.
 * @param token Its resume token.
 * @param lookUp Finds the current document of an update; without it updates carry no document.
 * @returns The document.
 */
export function toEventDocument(
  event: ChangeEvent,
  token: Doc,
  lookUp: ((change: Change) => Doc | null) | undefined,
): Doc {
  const { what, time, wallTime } = event
  const head = { _id: token, operationType: operationOf(what), clusterTime: time, wallTime }
  if ('kind' in what) return { ...head, ...schemaFields(what) }
  const { before, after, replaced, namespace } = what
  const ns = toNs(namespace)
  const doc = after && decode(after)
  const old = before && decode(before)
  const documentKey = { _id: (doc ?? old)?.['_id'] }
  if (doc && old && !replaced) {
    const fullDocument = lookUp ? { fullDocument: lookUp(what) } : {}
    return {
      ...head,
      ...fullDocument,
      ns,
      documentKey,
      updateDescription: describeUpdate(old, doc),
    }
  }
  return { ...head, ...(doc ? { fullDocument: doc } : {}), ns, documentKey }
}

/**
 * The name of what happened.
 *
 * @param what What happened.
 * @returns `insert`, `update`, `replace`, `delete`, `drop`, `rename` or `dropDatabase`.
 */
export function operationOf(what: Change | SchemaChange): string {
  if ('kind' in what) return what.kind
  if (!what.before) return 'insert'
  if (!what.after) return 'delete'
  return what.replaced ? 'replace' : 'update'
}

function schemaFields(what: SchemaChange): Doc {
  if (what.kind === 'dropDatabase') return { ns: { db: what.database } }
  if (what.kind === 'drop') return { ns: toNs(what.namespace) }
  return { ns: toNs(what.namespace), to: toNs(what.to) }
}

function toNs(namespace: string): Doc {
  const dot = namespace.indexOf('.')
  return { db: namespace.slice(0, dot), coll: namespace.slice(dot + 1) }
}
