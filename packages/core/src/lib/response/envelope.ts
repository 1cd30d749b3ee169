import { type core } from 'zod'
import { isPlainObject } from '../json/plain.ts'
import { toItem, toMembers } from '../schemas/schema-members.ts'

/**
 * Places `data` and `meta` of a successful response, their members and constants in its body: `(articles, meta)
 * => ({ articles, articlesCount: meta.total })`. It is called once, when the API starts, with placeholders;
 * responses and the OpenAPI document follow from its result. It cannot compute values.
 */
export type Envelope<Data = unknown, Meta = Readonly<Record<string, unknown>> | undefined> = (
  data: Data,
  meta: Meta,
) => unknown

/** The part of a value that an envelope sees: the members of all options of a union. */
export type Members<T> = [T] extends [readonly unknown[]]
  ? T
  : [T] extends [object]
    ? { readonly [Key in KeysOf<T>]: MemberOf<T, Key> }
    : T

type KeysOf<T> = T extends unknown ? keyof T : never

type MemberOf<T, Key> = T extends unknown ? (Key extends keyof T ? T[Key] : undefined) : never

// The body that an envelope makes.
export type Template =
  | ({ readonly kind: 'read' } & Place)
  | ({ readonly kind: 'map'; readonly item: symbol; readonly to: Template } & Place)
  | { readonly kind: 'object'; readonly members: readonly (readonly [string, Template])[] }
  | { readonly kind: 'list'; readonly items: readonly Template[] }
  | { readonly kind: 'constant'; readonly value: string | number | boolean | null }

// Where a value is read: in data, in meta or in an item of a list.
export interface Place {
  readonly source: symbol
  readonly path: readonly string[]
  readonly schema: core.$ZodType | undefined
  readonly optional: boolean
}

export const dataSource = Symbol('data')
export const metaSource = Symbol('meta')

export interface Schemas {
  readonly data: core.$ZodType | undefined
  readonly meta: core.$ZodType | undefined
}

export const plainEnvelope: Envelope = (data, meta) => ({ data, meta })

// Calls an envelope with placeholders and reads from the result where it has placed them.
export function toTemplate(envelope: Envelope<never, never>, schemas: Schemas): Template {
  const marks: Marks = new Map()
  const hold = (source: symbol, schema: core.$ZodType | undefined): object =>
    toPlaceholder({ source, path: [], schema, optional: false }, marks)
  const meta = schemas.meta && hold(metaSource, schemas.meta)
  const body = call(envelope, hold(dataSource, schemas.data), meta)
  return read(body, marks)
}

export function call(envelope: Envelope<never, never>, data: unknown, meta: unknown): unknown {
  return Reflect.apply(envelope, undefined, [data, meta])
}

// The body of one response.
export function fill(template: Template, values: ReadonlyMap<symbol, unknown>): unknown {
  if (template.kind === 'constant') return template.value
  if (template.kind === 'list') return template.items.map((item) => fill(item, values))
  if (template.kind === 'object') {
    return Object.fromEntries(template.members.map(([key, member]) => [key, fill(member, values)]))
  }
  const value = readPlace(template, values)
  if (template.kind === 'read' || !Array.isArray(value)) return value
  return value.map((item) => fill(template.to, new Map([...values, [template.item, item]])))
}

function readPlace({ source, path }: Place, values: ReadonlyMap<symbol, unknown>): unknown {
  return path.reduce<unknown>((value, key) => Object(value)[key], values.get(source))
}

type Marks = Map<unknown, Template>

function toPlaceholder(place: Place, marks: Marks): object {
  const members = place.schema && toMembers(place.schema)
  const placeholder = members ? Object.create(null) : toClosed(place, marks)
  for (const [key, { schema, optional }] of members ?? []) {
    let member: object | undefined
    const below = {
      ...place,
      path: [...place.path, key],
      schema,
      optional: place.optional || optional,
    }
    // Created when it is read: a schema may contain itself.
    const get = (): object => (member ??= toPlaceholder(below, marks))
    Object.defineProperty(placeholder, key, { enumerable: true, get })
  }
  marks.set(placeholder, { kind: 'read', ...place })
  return placeholder
}

// The placeholder of a value whose members are not known: using it for anything but its place fails.
function toClosed(place: Place, marks: Marks): object {
  const element = place.schema && toItem(place.schema)
  const refuse = (use: string): never => {
    throw new TypeError(`it ${use} ${toName(place)}`)
  }
  return new Proxy(element ? [] : {}, {
    get(_target, key) {
      if (key === 'map' && element) return (change: Change) => toMap(change, place, marks)
      return refuse(typeof key === 'string' ? `reads '${key}' of` : 'computes with')
    },
    has: () => refuse('looks for members of'),
    ownKeys: () => refuse('lists the members of'),
  })
}

type Change = (item: object) => unknown

function toMap(change: Change, place: Place, marks: Marks): object {
  const item = Symbol('item')
  const schema = place.schema && toItem(place.schema)
  const to = read(
    change(toPlaceholder({ source: item, path: [], schema, optional: false }, marks)),
    marks,
  )
  const placeholder = toClosed({ ...place, schema: undefined }, marks)
  marks.set(placeholder, { ...place, kind: 'map', item, to })
  return placeholder
}

function toName({ source, path }: Place): string {
  return [source.description, ...path].join('.')
}

function read(value: unknown, marks: Marks): Template {
  const mark = marks.get(value)
  if (mark) return mark
  if (Array.isArray(value)) return { kind: 'list', items: value.map((item) => read(item, marks)) }
  if (isPlainObject(value)) {
    const members = Object.entries(value).filter(([, member]) => member !== undefined)
    return { kind: 'object', members: members.map(([key, member]) => [key, read(member, marks)]) }
  }
  if (isConstant(value)) return { kind: 'constant', value }
  throw new TypeError(`it returns ${describe(value)}`)
}

function isConstant(value: unknown): value is string | number | boolean | null {
  return (
    value === null ||
    typeof value === 'string' ||
    typeof value === 'boolean' ||
    Number.isFinite(value)
  )
}

function describe(value: unknown): string {
  if (typeof value !== 'object' || value === null) return String(value)
  return `a ${value.constructor.name}`
}
