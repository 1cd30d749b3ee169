// Expressions of aggregation; errors, such as the sum of a text, are part of what they show.
import { type Document } from 'bson'
import { randomScalar, type Random } from '../random.ts'

const fields = ['$a', '$b', '$c', '$d', '$d.x', '$d.y', '$e', '$_id', '$missing']
const unary = [
  '$abs',
  '$ceil',
  '$floor',
  '$not',
  '$type',
  '$size',
  '$isArray',
  '$isNumber',
  '$toString',
  '$toBool',
  '$first',
  '$last',
  '$reverseArray',
  '$strLenCP',
  '$toUpper',
  '$objectToArray',
  '$toInt',
  '$toDouble',
  '$bsonSize',
]
const binary = [
  '$subtract',
  '$divide',
  '$mod',
  '$pow',
  '$eq',
  '$ne',
  '$gt',
  '$gte',
  '$lt',
  '$lte',
  '$cmp',
  '$ifNull',
  '$strcasecmp',
  '$in',
  '$arrayElemAt',
  '$split',
  '$setDifference',
  '$round',
]
const many = [
  '$add',
  '$multiply',
  '$concat',
  '$and',
  '$or',
  '$min',
  '$max',
  '$sum',
  '$avg',
  '$setUnion',
  '$setIntersection',
  '$concatArrays',
  '$mergeObjects',
]

export function randomExpression(random: Random, depth: number): unknown {
  if (depth === 0 || random.chance(0.25)) return randomLeaf(random)
  const next = (): unknown => randomExpression(random, depth - 1)
  return random.pick<() => unknown>([
    () => ({ [random.pick(unary)]: next() }),
    () => ({ [random.pick(binary)]: [next(), next()] }),
    () => ({ [random.pick(binary)]: [next(), next()] }),
    () => ({ [random.pick(many)]: Array.from({ length: random.int(4) }, next) }),
    () => ({ $cond: [next(), next(), next()] }),
    () => randomIteration(random, next),
    () => [next(), next()],
    () => ({ x: next(), y: next() }),
  ])()
}

function randomIteration(random: Random, next: () => unknown): Document {
  const input = random.chance(0.7) ? { $ifNull: ['$c', []] } : next()
  return random.pick<() => Document>([
    () => ({ $map: { input, as: 'v', in: { $eq: ['$$v', next()] } } }),
    () => ({ $filter: { input, as: 'v', cond: { $gt: ['$$v', next()] } } }),
    () => ({ $reduce: { input, initialValue: next(), in: { $max: ['$$value', '$$this'] } } }),
    () => ({ $let: { vars: { v: next() }, in: { $concat: ['$$v', next()] } } }),
  ])()
}

function randomLeaf(random: Random): unknown {
  if (random.chance(0.6)) return random.pick(fields)
  return { $literal: randomScalar(random) }
}
