import { key, object } from '../code/literals.ts'
import { type ModelDescription, type ModelPath } from '../project/model-description.ts'

// The type of the documents that a schema describes. That of the model may lack what plugins and options add.
export function toTypeCode({ paths, versionKey }: ModelDescription): string {
  return toObjectType(paths.filter(({ name }) => name !== versionKey && !isPlainId(name, paths)))
}

// The framework knows that ids are ObjectIds.
function isPlainId(name: string, paths: readonly ModelPath[]): boolean {
  return name === '_id' && paths.some((path) => path.name === '_id' && path.type === 'ObjectId')
}

const types: ReadonlyMap<string, string> = new Map([
  ['String', 'string'],
  ['Number', 'number'],
  ['Double', 'number'],
  ['Int32', 'number'],
  ['Boolean', 'boolean'],
  ['Date', 'Date'],
  ['ObjectId', 'Types.ObjectId'],
  ['Decimal128', 'Types.Decimal128'],
  ['BigInt', 'bigint'],
  ['UUID', 'Types.UUID'],
  ['Buffer', 'Buffer'],
])

function toValueType(path: ModelPath): string {
  const { discriminators, item, loose, members, type } = path
  if (discriminators) return 'Record<string, unknown>'
  if (type === 'Array') return `${toItemType(item)}[]`
  if (type === 'Map') return `Record<string, ${toItemType(item)}>`
  if (members) return toObjectType(members) + (loose ? ' & Record<string, unknown>' : '')
  return types.get(type) ?? 'unknown'
}

function toItemType(item: ModelPath | undefined): string {
  const code = item ? toValueType(item) : 'unknown'
  return code.includes(' & ') ? `(${code})` : code
}

function toObjectType(members: readonly ModelPath[]): string {
  return object(members.map(toMemberType))
}

function toMemberType(path: ModelPath): string {
  const name = key(path.name)
  const code = toValueType(path)
  if (isNullable(path)) return `${name}: ${code} | null`
  return isPresent(path) ? `${name}: ${code}` : `${name}?: ${code} | null`
}

function isNullable({ default: stated }: ModelPath): boolean {
  return stated !== undefined && 'value' in stated && stated.value === null
}

function isPresent(path: ModelPath): boolean {
  const { default: stated, hidden, members = [], required, type, uses } = path
  // Queries leave it out.
  if (hidden !== undefined) return false
  if (type === 'Nested') return members.some(isPresent)
  return required === 'always' || stated !== undefined || uses?.includes('time') === true
}
