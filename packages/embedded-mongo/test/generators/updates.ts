// Documents, and updates that fit some of them.
import { Double } from 'bson'
import { type Plain } from '../cases/reference-update.ts'
import { type Random } from '../random.ts'

export function filtersFor(update: Plain): Plain[] {
  return JSON.stringify(update).includes('$[x]') ? [{ x: { $gte: 2 } }] : []
}

const names = ['a', 'b', 'c']

export function randomDocument(random: Random, depth: number): Plain {
  const doc: Plain = {}
  for (const name of names) if (random.chance(0.7)) doc[name] = randomItem(random, depth)
  return doc
}

function randomItem(random: Random, depth: number): unknown {
  const kind = random.int(depth > 0 ? 10 : 5)
  if (kind < 2) return random.pick([0, 1, 2, 3, -1])
  if (kind === 2) return random.pick([0.5, 1.5, new Double(2), null])
  if (kind === 3) return random.pick(['x', 'y', ''])
  if (kind < 6 && depth > 0) return randomDocument(random, depth - 1)
  if (depth === 0) return random.int(4)
  return Array.from({ length: random.int(4) }, () => randomItem(random, depth - 1))
}

function randomPath(random: Random): string {
  const parts = [random.pick(names)]
  while (random.chance(0.3)) {
    parts.push(random.pick(['0', '1', '3', '$[]', '$[x]', '$', ...names, ...names]))
  }
  return parts.filter((part, i) => part !== '$' || parts.indexOf('$') === i).join('.')
}

const operators = [
  '$set',
  '$unset',
  '$inc',
  '$mul',
  '$min',
  '$max',
  '$push',
  '$addToSet',
  '$pull',
  '$pullAll',
  '$pop',
]

export function randomUpdate(random: Random): Plain {
  const update: Record<string, Plain> = {}
  for (let i = random.int(2); i >= 0; i--) {
    if (random.chance(0.1)) {
      const [from, to] = [randomPlainPath(random), randomPlainPath(random)]
      if (from !== to) update['$rename'] = { ...update['$rename'], [from]: to }
    } else {
      const operator = random.pick(operators)
      update[operator] = {
        ...update[operator],
        [randomPath(random)]: randomOperand(random, operator),
      }
    }
  }
  return Object.keys(update).length > 0 ? update : { $set: { a: 1 } }
}

function randomPlainPath(random: Random): string {
  return random.chance(0.6)
    ? random.pick(names)
    : `${random.pick(names)}.${random.pick(['a', 'b', '0'])}`
}

function randomOperand(random: Random, operator: string): unknown {
  const item = randomItem(random, 1)
  const items = Array.from({ length: random.int(4) }, () => randomItem(random, 1))
  switch (operator) {
    case '$inc':
    case '$mul':
      return random.pick([1, 2, -1, 0, 0.5, new Double(3)])
    case '$pop':
      return random.pick([1, -1])
    case '$pullAll':
      return items
    case '$pull':
      return random.chance(0.3)
        ? { $gte: random.int(3) }
        : random.chance(0.3)
          ? { a: random.int(3) }
          : item
    case '$addToSet':
      return random.chance(0.4) ? { $each: items } : item
    case '$push':
      return random.chance(0.6) ? randomPush(random, items) : item
    default:
      return item
  }
}

function randomPush(random: Random, items: unknown[]): Plain {
  const push: Plain = { $each: items }
  if (random.chance(0.4)) push['$position'] = random.int(5) - 2
  if (random.chance(0.4)) push['$sort'] = random.pick([1, -1])
  if (random.chance(0.4)) push['$slice'] = random.int(7) - 3
  return push
}
