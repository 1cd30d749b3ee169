import { isRecord, type Readable } from '../json/plain.ts'
import { type Scope } from '../access/scope.ts'
import { type CreateOptions } from './document-options.ts'
import { reachable } from './in-scope.ts'
import { insertDocument, toLean } from './insert-document.ts'
import { requireInScope } from './judge.ts'
import { type AnyModel } from './model.ts'
import { isRecorded, writeRecorded } from './record-changes.ts'
import { requireReferences } from './require-references.ts'
import { type StoredDocument } from './versioned.ts'

/**
 * Creates a document that the caller can reach. A field that the scope compares with one value, such as the owner, gets
 * that value unless the input has the field.
 * @param model - the model
 * @param input - the parsed input
 * @param options - scope and references
 * @returns the new document, lean
 * @throws ApiError `validation_failed` when a document that it refers to does not exist, `forbidden` when the document
 * would be outside the scope
 * @throws Error when the scope is undefined or names a field that the model does not have
 * @example
 * ```ts
 * const post = await createDocument(PostModel, input, { scope: req.scope })
 * ```
 */
export async function createDocument<T>(
  model: AnyModel<T>,
  input: Readable,
  options: CreateOptions,
): Promise<StoredDocument<T>> {
  const { references } = options
  const scope = reachable(model, options.scope, {})
  if (references) await requireReferences(model, input, { references })
  const { values, isComplete } = toRequirements(scope)
  // It decides which fields the document has.
  const { discriminatorKey: key = '' } = model.schema.options
  const kind = model.discriminators ? values.get(key) : undefined
  const document = new model(kind === undefined ? input : { [key]: kind, ...input })
  const isStamped = [...values].map(([path, value]) => stamp(document, path, value, input))
  if (!isComplete || isStamped.includes(false)) {
    await document.$validate()
    await requireInScope(model, scope, document)
  }
  if (!isRecorded(model)) {
    await insertDocument(model, document)
    return toLean(document)
  }
  return writeRecorded(model, async (session) => {
    // Mongoose resets it when a transaction is repeated because of a write, but not because of its commit.
    document.$isNew = true
    await document.save({ session })
    const after = toLean<T>(document)
    return { result: after, change: { kind: 'created', after } }
  })
}

interface Requirements {
  /** The values that a document must have, by path. */
  readonly values: ReadonlyMap<string, unknown>
  /** Whether the filter requires nothing else. */
  readonly isComplete: boolean
}

function toRequirements(scope: Scope): Requirements {
  const values = new Map<string, unknown>()
  const isComplete = toConditions(scope).map(([path, condition]) => {
    const value = isRecord(condition) && '$eq' in condition ? condition['$eq'] : condition
    if (path.startsWith('$') || !isSingle(value) || values.has(path)) return false
    values.set(path, value)
    return true
  })
  return { values, isComplete: !isComplete.includes(false) }
}

function toConditions(filter: object): [path: string, condition: unknown][] {
  return Object.entries(filter).flatMap(([path, condition]) =>
    path === '$and' && Array.isArray(condition)
      ? condition.flatMap((part) => toConditions(Object(part)))
      : [[path, condition]],
  )
}

function isSingle(value: unknown): boolean {
  return !isRecord(value) && !Array.isArray(value) && !(value instanceof RegExp)
}

interface Settable {
  get(path: string): unknown
  $set(path: string, value: unknown): unknown
}

// Sets a value that the input leaves open. Returns whether the document certainly has it then.
function stamp(document: Settable, path: string, value: unknown, input: Readable): boolean {
  const isNested = path.includes('.')
  if (isNested ? document.get(path) !== undefined : input[path] !== undefined) return false
  if (value === null) return !isNested && (document.get(path) ?? null) === null
  document.$set(path, value)
  return !isNested
}
