import { Timestamp } from 'bson'
import { type Doc, getField, isDocument, lookUp } from '../bson/document.ts'
import { showValue } from '../bson/show-value.ts'
import { typeName } from '../bson/type-name.ts'
import { CommandError } from '../errors/command-error.ts'
import { type Collation } from '../keys/collation.ts'
import { compileFilter, type FilterOptions } from '../query/compile-filter.ts'
import { type ValueTest } from '../query/match-path.ts'
import { arrayModifiers } from './array-modifiers.ts'
import { fieldModifiers, type ModifierContext } from './field-modifiers.ts'
import {
  isFilterPart,
  isPlaceholder,
  type Modifier,
  toPlaces,
  updatePath,
  type UpdateLocation,
} from './update-path.ts'

export interface UpdateOptions {
  // For the `$[identifier]` parts of paths.
  arrayFilters?: readonly Doc[] | undefined
  // Values of `let` and of an update statement's `c`, for pipelines.
  variables?: Doc | undefined
  collation?: Collation | undefined
  now?: Date | undefined
  // For `$currentDate`: a new one each time.
  nextTimestamp?: (() => Timestamp) | undefined
}

// `isInsert`: the document is the one that an upsert starts from its filter.
export type Change = (doc: Doc, at: { hit: number | undefined; isInsert: boolean }) => Doc

const factories = { ...fieldModifiers, ...arrayModifiers }

interface Operation {
  name: string
  path: string
  parts: string[]
  modifier: Modifier
  // The path $rename reads from.
  source?: string[]
}

export function compileModifiers(update: Doc, options: UpdateOptions): Change {
  const {
    collation,
    now = new Date(),
    nextTimestamp = () => new Timestamp({ t: Math.floor(now.getTime() / 1000), i: 1 }),
  } = options
  const context = { collation, now, nextTimestamp }
  const check = createConflictCheck()
  const operations = Object.keys(update).flatMap((name) =>
    parse(name, update[name], { ...context, check }),
  )
  const arrayFilters = compileArrayFilters(options.arrayFilters ?? [], {
    collation: options.collation,
    now: context.now,
  })
  requireFiltersUsed(
    operations.map(({ path }) => path),
    arrayFilters,
  )
  // MongoDB adds new fields in name order, whatever the order of the modifiers.
  const sorted = operations.toSorted((a, b) => comparePaths(a.parts, b.parts))
  const isDynamic = operations.some(({ parts }) => parts.some((part) => isPlaceholder(part)))
  return (doc, { hit, isInsert }) => {
    const checkPlace = createConflictCheck()
    const owned = new WeakSet<object>()
    let result = doc
    for (const operation of sorted) {
      if (operation.name === '$setOnInsert' && !isInsert) continue
      const where: UpdateLocation = { doc, path: operation.path, hit, owned, arrayFilters }
      // Array filters test the elements as they were before the first modifier.
      const places = isDynamic ? toPlaces(doc, operation.parts, where) : [operation.parts]
      for (const place of places) {
        if (isDynamic) checkPlace(place)
        const before = result
        result = run(operation, result, { place, where })
        if (!isInsert && result !== before) rejectDollarField(result, place)
      }
    }
    return result
  }
}

// Below the top level such a name is a field like any other.
function rejectDollarField(doc: Doc, [name = '']: readonly string[]): void {
  if (!name.startsWith('$') || getField(doc, name) === undefined) return
  throw new CommandError(
    'DollarPrefixedFieldName',
    `The dollar ($) prefixed field '${name}' in '${name}' is not allowed in the context of an update's replacement document. Consider using an aggregation pipeline with $replaceWith.`,
  )
}

function run(
  { modifier, source }: Operation,
  doc: Doc,
  { place: parts, where }: { place: readonly string[]; where: UpdateLocation },
): Doc {
  if (source === undefined) return updatePath(doc, parts, { modifier, where })
  const value = readFixed(doc, source, 'source')
  if (value === undefined) return doc
  readFixed(doc, parts, 'destination')
  const unset = { creates: false, modify: () => undefined }
  const without = updatePath(doc, source, { modifier: unset, where })
  const set = { creates: true, modify: () => value }
  return updatePath(without, parts, { modifier: set, where })
}

function readFixed(doc: Doc, parts: readonly string[], role: string): unknown {
  let node: unknown = doc
  for (const part of parts) {
    if (Array.isArray(node)) {
      throw new CommandError(
        'BadValue',
        `The ${role} field cannot be an array element, '${parts.join('.')}' in doc with _id: ${showValue(doc['_id'])} has an array field called '${part}'`,
      )
    }
    node = isDocument(node) ? getField(node, part) : undefined
  }
  return node
}

type ConflictCheck = (path: readonly string[]) => void

function parse(
  name: string,
  operands: unknown,
  context: ModifierContext & { check: ConflictCheck },
): Operation[] {
  const factory = lookUp(factories, name)
  if (factory === undefined && name !== '$rename') {
    throw new CommandError(
      'FailedToParse',
      `Unknown modifier: ${name}. Expected a valid update modifier or pipeline-style update specified as an array`,
    )
  }
  if (!isDocument(operands)) {
    throw new CommandError(
      'FailedToParse',
      `Modifiers operate on fields but we found type ${typeName(operands)} instead. For example: {$mod: {<field>: ...}} not {${name}: ${showValue(operands)}}`,
    )
  }
  return Object.keys(operands).map((path) => {
    const operand = operands[path]
    const parts = toParts(path)
    if (factory === undefined) return toRename(path, operand, context.check)
    const modifier = factory(operand, path, context)
    context.check(parts)
    return { name, path, parts, modifier }
  })
}

function toRename(path: string, operand: unknown, check: ConflictCheck): Operation {
  const source = toParts(path)
  check(source)
  if (typeof operand !== 'string') {
    throw new CommandError(
      'BadValue',
      `The 'to' field for $rename must be a string: ${path}: ${showValue(operand)}`,
    )
  }
  if (operand === path) {
    throw new CommandError(
      'BadValue',
      `The source and target field for $rename must differ: ${path}: "${operand}"`,
    )
  }
  if (operand.startsWith(`${path}.`) || path.startsWith(`${operand}.`)) {
    throw new CommandError(
      'BadValue',
      `The source and target field for $rename must not be on the same path: ${path}: "${operand}"`,
    )
  }
  const parts = toParts(operand)
  if ([...parts, ...source].some((part) => isPlaceholder(part))) {
    throw new CommandError(
      'BadValue',
      `The source and target field for $rename may not be dynamic: ${path}`,
    )
  }
  check(parts)
  return {
    name: '$rename',
    path: operand,
    parts,
    source,
    modifier: { creates: true, modify: (value) => value },
  }
}

function toParts(path: string): string[] {
  if (path === '') throw new CommandError('EmptyFieldName', 'An empty update path is not valid.')
  const parts = path.split('.')
  if (parts.includes('')) {
    throw new CommandError(
      'EmptyFieldName',
      `The update path '${path}' contains an empty field name, which is not allowed.`,
    )
  }
  const [first = ''] = parts
  if (isPlaceholder(first)) {
    throw new CommandError(
      'BadValue',
      `Cannot have ${first === '$' ? "positional (i.e. '$')" : "array filter identifier (i.e. '$[<id>]')"} element in the first position in path '${path}'`,
    )
  }
  if (parts.filter((part) => part === '$').length > 1) {
    throw new CommandError(
      'BadValue',
      `Too many positional (i.e. '$') elements found in path '${path}'`,
    )
  }
  return parts
}

// Rejects a path that equals, contains or lies below an earlier one.
function createConflictCheck(): ConflictCheck {
  const taken = new Set<string>()
  // Below each prefix are array elements or fields, never both.
  const below = new Map<string, 'elements' | 'fields'>()
  return (path) => {
    const prefixes = path.map((_part, i): { prefix: string; kind?: 'elements' | 'fields' } => {
      const prefix = path.slice(0, i + 1).join('.')
      const next = path[i + 1]
      if (next === undefined) return { prefix }
      return { prefix, kind: isFilterPart(next) ? 'elements' : 'fields' }
    })
    for (const { prefix, kind } of prefixes) {
      const known = below.get(prefix)
      if (taken.has(prefix) || (known !== undefined && known !== kind)) {
        throw new CommandError(
          'ConflictingUpdateOperators',
          `Updating the path '${path.join('.')}' would create a conflict at '${prefix}'`,
        )
      }
    }
    for (const { prefix, kind } of prefixes) {
      if (kind === undefined) taken.add(prefix)
      else below.set(prefix, kind)
    }
  }
}

function comparePaths(a: readonly string[], b: readonly string[]): number {
  for (let i = 0; i < Math.min(a.length, b.length); i++) {
    const left = a[i] ?? ''
    const right = b[i] ?? ''
    if (left === right) continue
    if (/^\d+$/.test(left) && /^\d+$/.test(right)) return Number(left) - Number(right)
    return left < right ? -1 : 1
  }
  return a.length - b.length
}

function compileArrayFilters(
  filters: readonly Doc[],
  options: FilterOptions,
): Map<string, ValueTest> {
  const tests = new Map<string, ValueTest>()
  for (const filter of filters) {
    const identifier = requireIdentifier(filter)
    if (tests.has(identifier)) {
      throw new CommandError(
        'FailedToParse',
        `Found multiple array filters with the same top-level field name ${identifier}`,
      )
    }
    const predicate = compileFilter(filter, options)
    tests.set(identifier, (item) => predicate({ [identifier]: item }))
  }
  return tests
}

function requireIdentifier(filter: Doc): string {
  const [first, second] = [...new Set(identifiers(filter))]
  if (first === undefined) {
    throw new CommandError(
      'FailedToParse',
      'Cannot use an expression without a top-level field name in arrayFilters',
    )
  }
  if (second !== undefined) {
    throw new CommandError(
      'FailedToParse',
      `Error parsing array filter :: caused by :: Expected a single top-level field name, found '${first}' and '${second}'`,
    )
  }
  if (!/^[a-z][a-zA-Z0-9]*$/.test(first)) {
    throw new CommandError(
      'BadValue',
      `Error parsing array filter :: caused by :: The top-level field name must be an alphanumeric string beginning with a lowercase letter, found '${first}'`,
    )
  }
  return first
}

function identifiers(filter: Doc): string[] {
  return Object.entries(filter).flatMap(([name, value]) => {
    if (!name.startsWith('$')) return [name.split('.', 1).join('')]
    return Array.isArray(value) ? value.filter(isDocument).flatMap(identifiers) : []
  })
}

// Rejects an identifier without a filter and a filter without use.
function requireFiltersUsed(paths: readonly string[], tests: ReadonlyMap<string, ValueTest>): void {
  const used = new Set<string>()
  for (const path of paths) {
    for (const [, identifier = ''] of path.matchAll(/\$\[([^\]]+)\]/g)) {
      if (!tests.has(identifier)) {
        throw new CommandError(
          'BadValue',
          `No array filter found for identifier '${identifier}' in path '${path}'`,
        )
      }
      used.add(identifier)
    }
  }
  for (const identifier of tests.keys()) {
    if (!used.has(identifier)) {
      throw new CommandError(
        'FailedToParse',
        `The array filter for identifier '${identifier}' was not used in the update`,
      )
    }
  }
}
