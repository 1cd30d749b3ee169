// Projections of find, most of them valid.
import { type Document } from 'bson'
import { type Random } from '../random.ts'
import { randomExpression } from './expressions.ts'
import { randomFilter } from './queries.ts'

const paths = ['_id', 'a', 'b', 'c', 'd', 'd.x', 'd.y', 'e', 'd.x.y', 'missing']

export function randomProjection(random: Random): Document {
  const includes = random.chance(0.5)
  const projection: Document = {}
  for (let i = random.int(3); i >= 0; i--) {
    projection[random.pick(paths)] = randomPart(random, includes)
  }
  return projection
}

function randomPart(random: Random, includes: boolean): unknown {
  const dice = random.int(12)
  if (dice === 0) return { $slice: random.int(5) - 2 }
  if (dice === 1) return { $slice: [random.int(5) - 2, random.int(3)] }
  if (dice === 2) return { $elemMatch: randomFilter(random, 0) }
  if (dice === 3 && includes) return randomExpression(random, 2)
  if (dice === 4) return random.pick([1, 0, true, false])
  return includes ? 1 : 0
}
