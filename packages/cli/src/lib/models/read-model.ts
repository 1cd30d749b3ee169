import { text } from '../code/literals.ts'
import { type Field } from '../fields/field.ts'
import { type ModelDescription } from '../project/model-description.ts'
import { describeField, describeOthers, type Finding, toPlace } from './findings.ts'
import { type Identifier, toIdentifier } from './identifier.ts'
import { type ReadField, readField } from './read-field.ts'

/** A field that clients read and do not send. */
export interface ServedField {
  readonly name: string
  readonly zod: string
}

/** What a resource for a model consists of. */
export interface ModelReading {
  readonly fields: readonly Field[]
  readonly served: readonly ServedField[]
  /** Fields that a client sends only when it creates a document. */
  readonly fixed: readonly string[]
  /** Fields that a client sends and never reads. */
  readonly secret: readonly string[]
  /** Fields that the model sets if a client leaves them out. */
  readonly filled: readonly string[]
  readonly filters: readonly string[]
  readonly sort: readonly string[]
  readonly identifier: Identifier
  /** Field of which no valid value is known, so that tests cannot create documents. */
  readonly unsampled?: string | undefined
  readonly findings: readonly Finding[]
}

// `scope` are the fields that the access of the resource sets.
export function readModel(
  description: ModelDescription,
  scope: readonly string[] = [],
): ModelReading {
  const identifier = toIdentifier(description)
  const served = toServed(description)
  const others = [
    ...toTimes(description),
    ...scope,
    description.versionKey,
    description.discriminator?.key,
    ...(identifier.sent ? [] : ['_id']),
    ...(description.plugins.includes('softDelete') ? ['deletedAt'] : []),
  ]
  const read: ReadField[] = []
  const findings: Finding[] = []
  for (const path of description.paths.filter(({ name }) => !others.includes(name))) {
    const found = readField(description, path)
    if ('state' in found) {
      findings.push({ path: path.name, ...found, place: toPlace(description, path.line) })
    } else {
      read.push(found)
      findings.push(...describeField(description, found.path, found.code))
    }
  }
  const namesOf = (choose: (one: ReadField) => boolean): readonly string[] =>
    read.filter(choose).map(({ field }) => field.name)
  return {
    fields: read.map(({ field }) => field),
    served,
    fixed: namesOf(({ isFixed }) => isFixed),
    secret: namesOf(({ path }) => path.hidden !== undefined),
    filled: namesOf(({ code }) => code.isFilled === true),
    ...toLists(description, read, served),
    identifier,
    unsampled: namesOf(isUnsampled)[0],
    findings: [...findings, ...describeOthers(description)],
  }
}

// The times that the model sets, also those of fields with a default.
function toTimes({ paths, timestamps }: ModelDescription): readonly string[] {
  const own = paths.filter(({ default: stated, name, required, type }) => {
    const isTime = name === 'createdAt' || name === 'updatedAt'
    return isTime && type === 'Date' && (required === undefined || stated !== undefined)
  })
  return [...new Set([...Object.values(timestamps), ...own.map(({ name }) => name)])]
}

function toServed(description: ModelDescription): readonly ServedField[] {
  const { discriminator, model, paths } = description
  const times = toTimes(description).filter(
    (name) => paths.find((path) => path.name === name)?.hidden === undefined,
  )
  const dates = times.map((name) => ({ name, zod: 'z.iso.datetime()' }))
  if (discriminator === undefined) return dates
  const { key: name, others, value } = discriminator
  const kinds = [model, ...others].map(text).join(', ')
  const zod = value === undefined ? `z.enum([${kinds}]).optional()` : `z.literal(${text(value)})`
  return [{ name, zod }, ...dates]
}

// No value is known, or only one that no second document can have.
function isUnsampled({ code, field }: ReadField): boolean {
  if (field.type.kind !== 'modelled' || !code.required) return false
  return code.sample === undefined || (field.unique && !code.sample.includes('count'))
}

const filterable = new Set(
  'String Number Double Int32 Date Boolean ObjectId Decimal128 UUID'.split(' '),
)
const unsorted = new Set(['Array', 'Boolean', 'ObjectId', 'UUID'])

// A list can be filtered and sorted by what has an index.
function toLists(
  { indexes }: ModelDescription,
  read: readonly ReadField[],
  served: readonly ServedField[],
): Pick<ModelReading, 'filters' | 'sort'> {
  const fields = read.filter(({ code, path }) => {
    const { type } = path.type === 'Array' ? (path.item ?? path) : path
    const isVisible = path.hidden === undefined && code.sample !== undefined
    return isVisible && filterable.has(type) && indexes.includes(path.name)
  })
  const dates = served
    .filter(({ name, zod }) => indexes.includes(name) && zod === 'z.iso.datetime()')
    .map(({ name }) => name)
  const sorted = fields.filter(({ path }) => !unsorted.has(path.type) && path.unique !== true)
  return {
    filters: [...fields.map(({ path }) => path.name), ...dates],
    sort: [...dates, ...sorted.map(({ path }) => path.name)],
  }
}
