import { type Field } from './fields.ts'
import { type ColumnPlan } from './plan-columns.ts'
import { type SourceRecord } from './record.ts'
import { toValue } from './to-value.ts'

export interface DocumentOptions {
  /** Whether the values of records are text. */
  readonly isText: boolean
  /** Between the items of a list in a cell. */
  readonly separator: string
}

// The body of the request for a record, as JSON.
export function createConverter(
  plan: ColumnPlan,
  { isText, separator }: DocumentOptions,
): (record: SourceRecord) => string {
  const convert = (field: Field, value: unknown): unknown =>
    typeof value === 'string' && isText ? toValue(value, field.kind, separator) : value
  const constants = Array.from(plan.constants, ([field, value]) => ({
    field,
    value: typeof value === 'string' ? toValue(value, field.kind, separator) : value,
  }))
  return ({ values }) => {
    const body = createObject()
    for (const object of plan.objects) setObject(body, object.path)
    for (const [column, value] of values) {
      const field = plan.fields.get(column)
      if (field)
        setValue(body, field, value === '' && isText ? toEmpty(field) : convert(field, value))
      else if (!plan.left.has(column)) setMember(body, column, value)
    }
    for (const [field, value] of plan.defaults) {
      if (!hasValue(body, field.path)) setValue(body, field, value)
    }
    for (const { field, value } of constants) setValue(body, field, value)
    return JSON.stringify(body)
  }
}

// Nothing where the field may be absent, else what its schema accepts.
function toEmpty({ kind, optional }: Field): unknown {
  if (optional) return undefined
  if (kind.types.has('null')) return null
  return kind.acceptsEmpty ? '' : undefined
}

type Members = Record<string, unknown>

// Without a prototype, whose members a name could mean.
function createObject(): Members {
  return Object.create(null)
}

function setValue(body: Members, { path }: Field, value: unknown): void {
  if (value !== undefined) setMember(setObject(body, path.slice(0, -1)), path.at(-1) ?? '', value)
}

// Creates the objects of a path that are not there.
function setObject(body: Members, path: readonly string[]): Members {
  let object = body
  for (const name of path) {
    const inner: unknown = Object.hasOwn(object, name) ? object[name] : undefined
    const next = isMembers(inner) ? inner : createObject()
    setMember(object, name, next)
    object = next
  }
  return object
}

function setMember(object: Members, name: string, value: unknown): void {
  Object.defineProperty(object, name, {
    value,
    configurable: true,
    enumerable: true,
    writable: true,
  })
}

function isMembers(value: unknown): value is Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function hasValue(body: Members, path: readonly string[]): boolean {
  const value = path.reduce<unknown>(
    (object, name) => (isMembers(object) && Object.hasOwn(object, name) ? object[name] : undefined),
    body,
  )
  return value !== undefined && value !== null
}
