import { count } from '../terminal/count.ts'
import { type ValueKind } from './classify.ts'
import {
  chooseReference,
  type FindModel,
  findFault,
  findNameFault,
  guess,
  type Inference,
  type InferredField,
  type InferredType,
} from './inference.ts'
import { maxMembers, maxTexts, type Members, type Observation } from './observe.ts'

interface Type extends InferredType {
  readonly members?: Members
}

// Fewer documents say little.
const fewDocuments = 10

// `findModel` returns the model of the project that a word names.
export function inferFields(members: Members, findModel: FindModel): Inference {
  const fields: InferredField[] = []
  const omitted = new Map<string, string>()
  addMembers(members, '')
  return {
    source: count(members.objects, 'document'),
    fields,
    omitted: Array.from(omitted, ([name, reason]) => ({ name, reason })),
  }

  function addMembers({ fields: found, objects }: Members, prefix: string): void {
    for (const [name, field] of found) addField(field, { path: prefix + name, name, objects })
  }

  function addField(field: Observation, place: Place): void {
    const { name, objects, path } = place
    const nameFault = findNameFault(name, path)
    if (nameFault !== undefined) {
      omitted.set(path, nameFault)
      return
    }
    const type = chooseType(field, { path, findModel })
    // A text that is required is not empty.
    const isAbsent = field.count < objects || field.minLength === 0
    const isOptional = isAbsent && !type.text.startsWith('array:')
    const argument = `${path}:${type.text}${isOptional ? ':optional' : ''}`
    const fault = findFault(argument, place)
    if (fault !== undefined) {
      omitted.set(path, fault)
      return
    }
    // The members of an object that is always there say that it is one.
    const isImplied = type.members !== undefined && type.text === 'object' && !isOptional
    if (!isImplied)
      fields.push({ argument, certainty: type.certainty, reason: explain(field, type, objects) })
    if (type.members) addMembers(type.members, `${path}.`)
  }
}

interface Place {
  readonly path: string
  readonly name: string
  /** Number of the objects that could have it. */
  readonly objects: number
}

function explain({ count: seen, nulls }: Observation, { reason }: Type, objects: number): string {
  const share = seen === objects ? `in all ${objects}` : `in ${seen} of ${objects}`
  return [share, nulls > 0 ? `null in ${nulls}` : '', reason].filter(Boolean).join(', ')
}

interface Context {
  readonly path: string
  readonly findModel: FindModel
}

const numbers: readonly ValueKind[] = ['int', 'number', 'decimal']
const texts: readonly ValueKind[] = ['string', 'objectid', 'uuid', 'date', 'day', 'url', 'email']

function chooseType(field: Observation, context: Context): Type {
  const kinds = [...field.kinds.keys()]
  const [kind] = kinds
  if (kind === undefined) return guess('any', 'only null')
  if (kinds.length === 1) return withSupport(chooseOne(kind, field, context), field)
  if (kinds.every((one) => numbers.includes(one))) {
    return withSupport(
      describeNumbers(kinds.includes('decimal') ? 'decimal' : 'number', field),
      field,
    )
  }
  if (kinds.every((one) => texts.includes(one))) {
    const others = kinds.filter((one) => one !== 'string').join(', ')
    return withSupport(chooseText(field, `not all of them are ${others}`), field)
  }
  return guess('any', `values of several types: ${kinds.join(', ')}`)
}

function chooseOne(kind: ValueKind, field: Observation, context: Context): Type {
  switch (kind) {
    case 'int':
    case 'number':
    case 'decimal':
      return describeNumbers(kind, field)
    case 'string':
      return chooseText(field, '')
    case 'objectid':
      return chooseReference(context.path, context.findModel)
    case 'array':
      return chooseList(field, context)
    case 'object':
      return chooseObject(field)
    case 'null':
    case 'other':
      return guess('any', 'a type that JSON does not have')
    default:
      return { text: kind, certainty: 'certain', reason: '' }
  }
}

function withSupport(type: Type, field: Observation): Type {
  const isWeak = type.certainty === 'certain' && field.count < fewDocuments
  return isWeak ? { ...type, certainty: 'likely' } : type
}

function describeNumbers(text: string, { greatest, least }: Observation): Type {
  const isSafe = Math.max(-least, greatest) <= Number.MAX_SAFE_INTEGER
  if (text !== 'decimal' && !isSafe) return guess('any', 'numbers outside of the safe range')
  return { text, certainty: 'certain', reason: `${least} to ${greatest}` }
}

function chooseText(field: Observation, reason: string): Type {
  const { isMultiline, isTrimmed, maxLength } = field
  if (field.kinds.size === 1 && isEnum(field)) {
    const values = [...field.texts.keys()].toSorted()
    return {
      text: `enum:${values.join(',')}`,
      certainty: 'likely',
      reason: count(values.length, 'value'),
    }
  }
  const length = `at most ${count(maxLength, 'character')}`
  const why = [reason, length].filter(Boolean).join(', ')
  if (maxLength > 10_000)
    return { text: `text:max=${roundUp(maxLength)}`, certainty: 'likely', reason: why }
  const isText = maxLength > 200 || isMultiline || !isTrimmed
  return { text: isText ? 'text' : 'string', certainty: 'certain', reason: why }
}

// Each value occurs often, and looks like a word.
function isEnum({ count: seen, maxLength, repeats, texts: values }: Observation): boolean {
  const isShort =
    maxLength <= 40 &&
    [...values.keys()].every((value) => /^[\p{L}\p{N}][\p{L}\p{N} ._+/-]*$/u.test(value))
  return (
    isShort &&
    repeats &&
    values.size > 1 &&
    values.size <= maxTexts &&
    seen >= 20 &&
    seen >= 5 * values.size
  )
}

// 1, 2 or 5 with zeros.
function roundUp(length: number): number {
  const unit = 10 ** Math.floor(Math.log10(length))
  return unit * ([1, 2, 5, 10].find((factor) => factor * unit >= length) ?? 10)
}

// The modifiers of a list are about its length.
function chooseList({ items, maxLength }: Observation, context: Context): Type {
  if (items && items.nulls > 0) return guess('any', 'null in lists')
  if (!items || items.count === 0) return guess('array:any', 'the lists are empty')
  const item = chooseType(items, context)
  if (item.text.startsWith('array:')) return guess('any', 'lists in lists')
  if (items.minLength === 0) return guess('array:any', 'empty texts in the lists')
  if (item.text.includes(':max=')) return guess('array:any', item.reason)
  const limit = maxLength > maxItems ? `:max=${roundUp(maxLength)}` : ''
  return { ...item, text: `array:${item.text}${limit}` }
}

// The limit of lists that state none.
const maxItems = 100

function chooseObject({ members }: Observation): Type {
  if (!members || members.fields.size === 0) return guess('object', 'the objects are empty')
  const { fields, objects } = members
  const seen = [...fields.values()].reduce((sum, field) => sum + field.count, 0)
  const isMap = fields.size > maxMembers || (fields.size > 20 && seen / fields.size < objects / 5)
  if (isMap) return guess('object', 'the names of the members differ')
  return { text: 'object', certainty: 'certain', reason: '', members }
}
