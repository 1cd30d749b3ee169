// Pipelines whose result has one order.
import { type Document } from 'bson'
import { type Random } from '../random.ts'
import { randomExpression } from './expressions.ts'
import { randomProjection } from './projections.ts'
import { randomFilter } from './queries.ts'

const fields = ['a', 'b', 'c', 'd', 'e']
const accumulators = ['$sum', '$avg', '$min', '$max', '$first', '$last', '$push', '$mergeObjects']

export function randomPipeline(random: Random): Document[] {
  const stages: Document[] = [{ $sort: { _id: 1 } }]
  for (let i = random.int(3); i >= 0; i--) stages.push(...randomStages(random))
  return stages
}

function randomStages(random: Random): Document[] {
  const field = random.pick(fields)
  const expression = (): unknown => randomExpression(random, 2)
  return random.pick<() => Document[]>([
    () => [{ $match: randomFilter(random, 1) }],
    () => [{ $match: { $expr: expression() } }],
    () => [{ $project: { x: expression(), y: expression() } }],
    () => [{ $project: randomProjection(random) }],
    () => [{ $addFields: { [random.pick([field, 'd.x', 'new'])]: expression() } }],
    () => [{ $unset: random.pick([field, 'd.x']) }],
    () => [{ $replaceWith: { $mergeObjects: ['$d', { _id: '$_id', a: expression() }] } }],
    () => [{ $unwind: { path: `$${field}`, preserveNullAndEmptyArrays: random.chance(0.5) } }],
    () => [{ $skip: random.int(10) }, { $limit: 1 + random.int(30) }],
    // By _id only: groups of other keys have no order, and 1 and 1.0 are one key.
    () => [
      { $group: { _id: '$_id', n: { [random.pick(accumulators)]: expression() } } },
      { $sort: { _id: 1 } },
    ],
    () => [{ $group: { _id: null, n: { [random.pick(accumulators)]: expression() } } }],
    () => [
      {
        $lookup: {
          from: 'items',
          localField: field,
          foreignField: random.pick(fields),
          as: 'found',
        },
      },
      { $addFields: { found: { $sortArray: { input: '$found._id', sortBy: 1 } } } },
    ],
    () => [{ $count: 'n' }],
  ])()
}
