import { Double } from 'bson'

/**
 * A slow, obvious implementation of updates, to compare the real one with. It shares no code with
 * it: it clones the document, turns every path into plain steps and changes the clone in place.
 */
export type Plain = Record<string, unknown>

export class Refused extends Error {
  readonly code: number

  constructor(code: number) {
    super(`refused with ${code}`)
    this.code = code
  }
}

export interface ReferenceOptions {
  /** Which element the positional `$` means. */
  hit: number | undefined
  /** The filters behind `$[x]`, as functions. */
  filters: Record<string, (item: unknown) => boolean>
}

export function referenceUpdate(doc: Plain, update: Plain, options: ReferenceOptions): Plain {
  const steps = listSteps(update)
  refuseConflicts(steps)
  const copy = clone(doc) as Plain
  const changed: string[] = []
  const claim = (place: string): void => {
    if (changed.some((other) => isConflict(place, other))) throw new Refused(40)
    changed.push(place)
  }
  for (const step of steps.toSorted(byPath)) {
    if (step.operator === '$rename') {
      claim(step.path)
      rename(copy, step)
      continue
    }
    // Array filters look at the document as it was.
    for (const path of concretePaths(doc, step.path.split('.'), options)) {
      claim(path.join('.'))
      apply(copy, path, step)
    }
  }
  return copy
}

interface ReferenceStep {
  operator: string
  path: string
  operand: unknown
  from?: string
}

function listSteps(update: Plain): ReferenceStep[] {
  const steps: ReferenceStep[] = []
  for (const [operator, fields] of Object.entries(update)) {
    for (const [path, operand] of Object.entries(fields as Plain)) {
      if (operator === '$rename')
        steps.push({ operator, path: operand as string, operand, from: path })
      else steps.push({ operator, path, operand })
    }
  }
  return steps
}

function refuseConflicts(steps: ReferenceStep[]): void {
  const taken: string[] = []
  const take = (path: string): void => {
    if (taken.some((other) => isConflict(path, other) || isMixed(path, other))) {
      throw new Refused(40)
    }
    taken.push(path)
  }
  for (const { from, path } of steps) {
    if (from !== undefined) {
      take(from)
      if (isConflict(from, path)) throw new Refused(2)
    }
    take(path)
  }
}

function isConflict(a: string, b: string): boolean {
  return a === b || a.startsWith(`${b}.`) || b.startsWith(`${a}.`)
}

// Elements of an array on one side, a field or a place on the other.
function isMixed(a: string, b: string): boolean {
  const left = a.split('.')
  const right = b.split('.')
  const at = left.findIndex((part, i) => part !== right[i])
  const isElements = (part = '') => part.startsWith('$[')
  return isElements(left[at]) !== isElements(right[at])
}

function byPath(a: ReferenceStep, b: ReferenceStep): number {
  const left = a.path.split('.')
  const right = b.path.split('.')
  for (let i = 0; ; i++) {
    const x = left[i]
    const y = right[i]
    if (x === undefined || y === undefined) return left.length - right.length
    if (x === y) continue
    const areNumbers = !Number.isNaN(Number(x)) && !Number.isNaN(Number(y))
    return areNumbers ? Number(x) - Number(y) : x < y ? -1 : 1
  }
}

function concretePaths(doc: Plain, parts: string[], options: ReferenceOptions): string[][] {
  const at = parts.findIndex((part) => part.startsWith('$'))
  if (at < 0) return [parts]
  const before = parts.slice(0, at)
  const after = parts.slice(at + 1)
  if (parts[at] === '$') {
    if (options.hit === undefined || options.hit < 0) throw new Refused(2)
    return concretePaths(doc, [...before, String(options.hit), ...after], options)
  }
  const array = read(doc, before)
  if (!Array.isArray(array)) throw new Refused(2)
  const name = parts[at]?.slice(2, -1) ?? ''
  const isWanted = name === '' ? () => true : options.filters[name]
  return array.flatMap((item, i) =>
    isWanted?.(item) ? concretePaths(doc, [...before, String(i), ...after], options) : [],
  )
}

function isIndex(part: string): boolean {
  return String(Number(part)) === part && Number(part) >= 0
}

function read(node: unknown, parts: string[]): unknown {
  let value = node
  for (const part of parts) {
    if (Array.isArray(value)) value = isIndex(part) ? value[Number(part)] : undefined
    else if (isObject(value)) value = value[part]
    else return undefined
  }
  return value
}

function isObject(value: unknown): value is Plain {
  return (
    typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype
  )
}

// Whether the path leads somewhere that exists.
function exists(doc: Plain, path: string[]): boolean {
  return read(doc, path) !== undefined
}

function write(doc: Plain, path: string[], value: unknown): void {
  let node: unknown = doc
  for (const [i, part] of path.entries()) {
    if (!isObject(node) && !Array.isArray(node)) throw new Refused(28)
    if (Array.isArray(node) && !isIndex(part)) throw new Refused(28)
    const holder = node as Plain
    if (i === path.length - 1) {
      pad(node, part)
      holder[part] = value
      return
    }
    if (holder[part] === undefined) {
      pad(node, part)
      holder[part] = {}
    }
    node = holder[part]
  }
}

function pad(node: unknown, part: string): void {
  if (Array.isArray(node)) while (node.length < Number(part)) node.push(null)
}

function remove(doc: Plain, path: string[]): void {
  const holder = read(doc, path.slice(0, -1))
  const name = path.at(-1) ?? ''
  if (Array.isArray(holder) && Number(name) < holder.length) holder[Number(name)] = null
  else if (isObject(holder)) delete holder[name]
}

function apply(doc: Plain, path: string[], { operator, operand }: ReferenceStep): void {
  const before = read(doc, path)
  if (operator === '$unset') {
    if (exists(doc, path)) remove(doc, path)
    return
  }
  if (['$pull', '$pullAll', '$pop'].includes(operator)) {
    if (before !== undefined) write(doc, path, shrink(operator, before, operand))
    return
  }
  // A path that cannot be created is refused before the value is looked at.
  write(doc, path, before)
  write(doc, path, compute(operator, before, operand))
}

function compute(operator: string, before: unknown, operand: unknown): unknown {
  const computer = computers[operator]
  if (computer === undefined) throw new Error(`the reference lacks ${operator}`)
  return computer(before, operand)
}

const computers: Record<string, (before: unknown, operand: unknown) => unknown> = {
  $set: (_before, operand) => operand,
  $inc: (before, operand) =>
    before === undefined ? operand : calculate(before, operand, (a, b) => a + b),
  $mul: (before, operand) => calculate(before === undefined ? 0 : before, operand, (a, b) => a * b),
  $min: (before, operand) =>
    before === undefined || order(operand) < order(before) ? operand : before,
  $max: (before, operand) =>
    before === undefined || order(operand) > order(before) ? operand : before,
  $push: push,
  $addToSet: (before, operand) => {
    if (before !== undefined && !Array.isArray(before)) throw new Refused(2)
    const array = [...((before ?? []) as unknown[])]
    const isEach = isObject(operand) && '$each' in operand
    for (const item of isEach ? (operand['$each'] as unknown[]) : [operand]) {
      if (!array.some((known) => same(known, item))) array.push(item)
    }
    return array
  },
}

// Numbers here are small ints, and doubles (with .5, or as Double when whole).
function calculate(a: unknown, b: unknown, operation: (x: number, y: number) => number): unknown {
  const x = numberOf(a)
  const y = numberOf(b)
  if (x === undefined || y === undefined) throw new Refused(14)
  // An int has no negative zero.
  const result = operation(x, y) || 0
  const isDouble = [a, b].some((value) => value instanceof Double || !Number.isInteger(value))
  if (!isDouble || !Number.isInteger(result) || Object.is(result, -0)) return result
  return new Double(result)
}

function numberOf(value: unknown): number | undefined {
  if (typeof value === 'number') return value
  return value instanceof Double ? value.value : undefined
}

function same(a: unknown, b: unknown): boolean {
  return comparable(a) === comparable(b)
}

function comparable(value: unknown): string {
  return (
    JSON.stringify(value, (_name, item: unknown) => (item instanceof Double ? item.value : item)) ??
    ''
  )
}

// Text that sorts as BSON does, for the few types of this test: null, numbers, strings, objects, arrays.
function order(value: unknown): string {
  const number = numberOf(value)
  if (value === null || value === undefined) return '1'
  if (number !== undefined) return `2${(number + 1_000_000).toFixed(3).padStart(20, '0')}`
  if (typeof value === 'string') return `3${value}\0`
  // What ends comes before what goes on.
  if (Array.isArray(value)) return `5${value.map(order).join('')}0`
  const fields = Object.entries(value as Plain)
  return `4${fields.map(([name, item]) => order(item).slice(0, 1) + name + order(item).slice(1)).join('')}0`
}

function push(before: unknown, operand: unknown): unknown {
  if (before !== undefined && !Array.isArray(before)) throw new Refused(2)
  const array = [...((before ?? []) as unknown[])]
  if (!isObject(operand) || !('$each' in operand)) return [...array, operand]
  const { $each, $position, $sort, $slice } = operand as {
    $each: unknown[]
    $position?: number
    $sort?: number
    $slice?: number
  }
  array.splice($position ?? array.length, 0, ...$each)
  if ($sort !== undefined) {
    array.sort((a, b) => (order(a) < order(b) ? -1 : order(a) > order(b) ? 1 : 0) * $sort)
  }
  if ($slice === undefined) return array
  return $slice < 0 ? array.slice($slice) : array.slice(0, $slice)
}

function shrink(operator: string, before: unknown, operand: unknown): unknown {
  if (!Array.isArray(before)) throw new Refused(operator === '$pop' ? 14 : 2)
  if (operator === '$pop') return operand === 1 ? before.slice(0, -1) : before.slice(1)
  const unwanted = operator === '$pullAll' ? (operand as unknown[]) : [operand]
  return before.filter((item) => !unwanted.some((value) => isPulled(item, value, operator)))
}

function isPulled(item: unknown, value: unknown, operator: string): boolean {
  if (operator === '$pull' && isObject(value)) {
    if ('$gte' in value) {
      // An array inside the array is looked into, once.
      const candidates: unknown[] = Array.isArray(item) ? item : [item]
      const least = numberOf(value['$gte']) ?? 0
      return candidates.some((candidate) => (numberOf(candidate) ?? -Infinity) >= least)
    }
    if (!isObject(item)) return false
    return Object.entries(value).every(([name, wanted]) => {
      const found = item[name]
      return Array.isArray(found)
        ? found.some((inner) => same(inner, wanted)) || same(found, wanted)
        : same(found, wanted)
    })
  }
  return same(item, value)
}

function rename(doc: Plain, { from = '', path }: ReferenceStep): void {
  const source = from.split('.')
  const target = path.split('.')
  const value = readFields(doc, source)
  if (value === undefined) return
  readFields(doc, target)
  remove(doc, source)
  write(doc, target, value)
}

// A rename goes through documents only.
function readFields(doc: Plain, parts: string[]): unknown {
  let node: unknown = doc
  for (const part of parts) {
    if (Array.isArray(node)) throw new Refused(2)
    node = isObject(node) ? node[part] : undefined
  }
  return node
}

function clone(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(clone)
  if (!isObject(value)) return value
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, clone(item)]))
}
