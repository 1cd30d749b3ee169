import { classify, type ValueKind } from './classify.ts'
import { isJson } from '../client/document.ts'

/** What was seen of a field in all documents. */
export interface Observation {
  /** Values that are not null. */
  count: number
  nulls: number
  readonly kinds: Map<ValueKind, number>
  /** The different texts, at most one more than an enum can have. */
  readonly texts: Map<string, number>
  /** Whether a text occurs twice. */
  repeats: boolean
  minLength: number
  maxLength: number
  isMultiline: boolean
  isTrimmed: boolean
  least: number
  greatest: number
  /** The items of lists. */
  items?: Observation
  members?: Members
}

/** What was seen of the members of objects. */
export interface Members {
  objects: number
  readonly fields: Map<string, Observation>
}

export const maxTexts = 12
// More members than this are the keys of a map.
export const maxMembers = 100

export function createMembers(): Members {
  return { objects: 0, fields: new Map() }
}

export function observeObject(members: Members, object: Readonly<Record<string, unknown>>): void {
  members.objects += 1
  for (const [name, value] of Object.entries(object)) {
    const known = members.fields.get(name)
    if (!known && members.fields.size > maxMembers) continue
    const field = known ?? createObservation()
    members.fields.set(name, field)
    observe(field, value)
  }
}

function createObservation(): Observation {
  return {
    count: 0,
    nulls: 0,
    kinds: new Map(),
    texts: new Map(),
    repeats: false,
    minLength: Infinity,
    maxLength: 0,
    isMultiline: false,
    isTrimmed: true,
    least: Infinity,
    greatest: -Infinity,
  }
}

function observe(field: Observation, sent: unknown): void {
  const { kind, value } = classify(sent)
  if (kind === 'null') {
    field.nulls += 1
    return
  }
  field.count += 1
  field.kinds.set(kind, (field.kinds.get(kind) ?? 0) + 1)
  if (typeof value === 'number') {
    field.least = Math.min(field.least, value)
    field.greatest = Math.max(field.greatest, value)
  }
  if (typeof value === 'string') observeText(field, value)
  if (Array.isArray(value)) {
    field.items ??= createObservation()
    field.maxLength = Math.max(field.maxLength, value.length)
    for (const item of value) observe(field.items, item)
  } else if (kind === 'object' && isJson(value)) {
    field.members ??= createMembers()
    observeObject(field.members, value)
  }
}

function observeText(field: Observation, text: string): void {
  const { length } = Array.from(text)
  field.minLength = Math.min(field.minLength, length)
  field.maxLength = Math.max(field.maxLength, length)
  field.isMultiline ||= text.includes('\n')
  field.isTrimmed &&= text.trim() === text
  const seen = field.texts.get(text)
  field.repeats ||= seen !== undefined
  if (seen !== undefined || field.texts.size <= maxTexts) field.texts.set(text, (seen ?? 0) + 1)
}
