import { type Doc, isDocument } from '../bson/document.ts'
import { typeName } from '../bson/type-name.ts'
import { CommandError } from '../errors/command-error.ts'
import { createCollation } from '../keys/collation.ts'
import { compileFilter, type Filter } from '../query/compile-filter.ts'
import { explainMismatch } from '../query/explain-mismatch.ts'
import { type Collection, type Row } from './collection.ts'

const levels = ['off', 'strict', 'moderate']
const actions = ['error', 'warn']
const forbidden = new Set(['$near', '$nearSphere', '$geoNear', '$text', '$where'])

// The options of `create` and `collMod` that concern validation, checked.
export function parseValidation(body: Doc, command: string): Doc {
  const { validator, validationLevel: level, validationAction: action } = body
  if (validator !== undefined) {
    if (!isDocument(validator))
      throw new CommandError('TypeMismatch', "'validator' must be an object")
    rejectForbidden(validator)
    compileFilter(validator)
  }
  requireOneOf(`${command}.validationLevel`, level, levels)
  requireOneOf(`${command}.validationAction`, action, actions)
  return {
    ...(validator === undefined ? {} : { validator }),
    ...(level === undefined ? {} : { validationLevel: level }),
    ...(action === undefined ? {} : { validationAction: action }),
  }
}

// Rejects a document that the collection's validator does not match. With the level `moderate`, a
// document that did not match before may be updated.
export function requireValid(
  { options }: Collection,
  { before, after }: { before?: Row | undefined; after: Row },
): void {
  const { validator, validationLevel: level = 'strict', validationAction: action } = options
  if (!isDocument(validator) || level === 'off' || action === 'warn') return
  const matches = compileValidator(validator, options)
  if (matches(after.doc) || (level === 'moderate' && before && !matches(before.doc))) return
  throw new CommandError('DocumentValidationFailure', 'Document failed validation', {
    details: {
      errInfo: {
        failingDocumentId: after.doc['_id'],
        details: explainMismatch(validator, after.doc, toCollation(options)),
      },
    },
  })
}

// Whether a stored document matches the validator, whatever the level.
export function isValid({ options }: Collection, doc: Doc): boolean {
  const { validator } = options
  return !isDocument(validator) || compileValidator(validator, options)(doc)
}

// Options are replaced, never modified.
const compiled = new WeakMap<Doc, Filter>()

function compileValidator(validator: Doc, options: Doc): Filter {
  let filter = compiled.get(validator)
  if (!filter) {
    filter = compileFilter(validator, { collation: toCollation(options) })
    compiled.set(validator, filter)
  }
  return filter
}

function toCollation({ collation }: Doc): ReturnType<typeof createCollation> {
  return isDocument(collation) ? createCollation(collation) : undefined
}

function rejectForbidden(value: unknown): void {
  if (Array.isArray(value)) for (const item of value) rejectForbidden(item)
  if (!isDocument(value)) return
  for (const [name, operand] of Object.entries(value)) {
    if (forbidden.has(name))
      throw new CommandError('BadValue', `${name} is not allowed in this context`)
    rejectForbidden(operand)
  }
}

function requireOneOf(field: string, value: unknown, known: string[]): void {
  if (value === undefined || (typeof value === 'string' && known.includes(value))) return
  const shown = typeof value === 'string' ? value : typeName(value)
  throw new CommandError(
    'BadValue',
    `Enumeration value '${shown}' for field '${field}' is not a valid value.`,
  )
}
