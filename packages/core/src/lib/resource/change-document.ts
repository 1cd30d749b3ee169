import { type QueryFilter, type QueryOptions } from 'mongoose'
import { ApiError } from '../errors/api-error.ts'
import { everything, type Scope } from '../access/scope.ts'
import { changeDirectly } from './direct-changes.ts'
import { hasFreeConditions, inScope, reachable, toFields } from './in-scope.ts'
import { requireInScope } from './judge.ts'
import { type AnyModel } from './model.ts'
import { isRecorded, writeRecorded } from './record-changes.ts'
import { type Update } from './update.ts'
import { type IfMatch, rejectMiss } from './version.ts'
import { isVersioned, type StoredDocument } from './versioned.ts'

// One document of a model, in versions that may be changed.
export interface Target<T> {
  readonly model: AnyModel<T>
  readonly filter: QueryFilter<T>
  readonly match: IfMatch
  /** What the caller can reach, before the change and after it. */
  readonly scope: Scope | undefined
  /** Options of the queries. */
  readonly options?: QueryOptions
}

const maxAttempts = 5

// Writes an update, or one that depends on what is stored. The document is read first only if the update
// depends on it or could move it out of the scope; it is then written only if it has not changed since.
export async function changeDocument<T>(
  requested: Target<T>,
  changes: Update | ((stored: StoredDocument<T>) => Update),
): Promise<StoredDocument<T>> {
  const filter = reachable(requested.model, requested.scope, requested.filter)
  const target = { ...requested, model: await toOwnModel(requested, filter) }
  const { model, match, scope = everything, options } = target
  if (typeof changes !== 'function' && !touches(scope, changes)) {
    const changed = await update(target, inScope(filter, match), changes)
    return changed ?? rejectMiss(model, filter, match)
  }
  for (let attempt = 1; attempt <= maxAttempts; attempt++) {
    const stored = await model
      .findOne(inScope(filter, match), null, options)
      .lean<StoredDocument<T>>()
    if (!stored) return rejectMiss(model, filter, match)
    const { _id, __v } = stored
    const own = typeof changes === 'function' ? changes(stored) : changes
    if (touches(scope, own)) await requireInScope(model, scope, apply(model, stored, own))
    const changed = await update(target, inScope(filter, { _id, __v }), own)
    if (changed) return changed
  }
  throw new ApiError('conflict', {
    detail: 'Other requests are changing the document at the same time.',
  })
}

// The base model would drop the fields of a discriminator.
async function toOwnModel<T>(
  { model, options }: Target<T>,
  filter: QueryFilter<T>,
): Promise<AnyModel<T>> {
  const { discriminators, schema } = model
  const { discriminatorKey: key = '' } = schema.options
  if (!discriminators) return model
  const stored = await model.findOne(filter, { [key]: 1 }, options).lean<object>()
  const kind: unknown = stored && Reflect.get(stored, key)
  const own = Object.values(discriminators).find(
    ({ schema: variant }) => Object(Reflect.get(variant, 'discriminatorMapping')).value === kind,
  )
  return own ?? model
}

function touches(scope: Scope, { $set = {}, $unset = {} }: Update): boolean {
  const changed = Object.keys({ ...$set, ...$unset })
  if (changed.length > 0 && hasFreeConditions(scope)) return true
  const fields = toFields(scope)
  return changed.some((path) => fields.includes(path))
}

function apply<T>(
  model: AnyModel<T>,
  stored: StoredDocument<T>,
  { $set = {}, $unset = {} }: Update,
): { toObject(options: object): object } {
  const document = model.hydrate(stored)
  // The update stores no defaults.
  for (const path of Object.keys(model.schema.paths)) {
    if (document.$isDefault(path)) document.set(path, undefined)
  }
  for (const [path, value] of Object.entries($set)) document.set(path, value)
  for (const path of Object.keys($unset)) document.set(path, undefined)
  return document
}

async function update<T>(
  { model, options }: Target<T>,
  filter: QueryFilter<T>,
  changes: Update,
): Promise<StoredDocument<T> | null> {
  if (Object.keys(changes).length === 0 && !isVersioned(model)) {
    return model.findOne(filter, null, options).lean<StoredDocument<T>>().exec()
  }
  if (!isRecorded(model)) {
    const direct = options ? undefined : await changeDirectly(model, filter, changes)
    return direct === undefined ? write({ model, options }, filter, changes) : direct
  }
  return writeRecorded(model, async (session) => {
    const inSession = { ...options, session }
    const before = await model.findOne(filter, null, inSession).lean<StoredDocument<T>>()
    const after = await write({ model, options: inSession }, filter, changes)
    const change = before && after ? ({ kind: 'changed', before, after } as const) : undefined
    return { result: after, change }
  })
}

function write<T>(
  { model, options }: Pick<Target<T>, 'model' | 'options'>,
  filter: QueryFilter<T>,
  changes: Update,
): Promise<StoredDocument<T> | null> {
  return model
    .findOneAndUpdate(filter, toCounted(model, changes), {
      ...options,
      returnDocument: 'after',
      runValidators: true,
    })
    .lean<StoredDocument<T>>()
    .exec()
}

// The plugin counts versions; without it, only changes that are made here count them.
function toCounted<T>(model: AnyModel<T>, changes: Update): object {
  const isCounted = model.schema.get('versionKey') === '__v' && !isVersioned(model)
  return isCounted ? { ...changes, $inc: { __v: 1 } } : changes
}
