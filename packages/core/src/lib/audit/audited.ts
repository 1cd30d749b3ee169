import { type AnyModel } from '../resource/model.ts'
import { type AuditKeys } from './audit-key.ts'
import { type AuditStore } from './audit-store.ts'

// A model whose changes are recorded.
export interface Audited {
  readonly model: AnyModel<unknown>
  readonly store: AuditStore
  readonly keys: AuditKeys
  /** How long entries are kept, in milliseconds; undefined is forever. */
  readonly keep: number | undefined
}

const audited = new Map<string, Audited>()

export function addAudited(own: Audited): void {
  audited.set(toKey(own.model), own)
}

export function findAudited<T>(model: AnyModel<T>): Audited | undefined {
  const found = audited.get(toKey(model))
  return Object.is(found?.model, model) ? found : undefined
}

export function listAudited(): readonly Audited[] {
  return [...audited.values()]
}

function toKey<T>({ collection, db }: AnyModel<T>): string {
  return `${db.id}/${collection.name}`
}
