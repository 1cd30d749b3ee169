import { isNumeric, toNumber } from '../bson/numeric.ts'
import { typeName } from '../bson/type-name.ts'
import { CommandError } from '../errors/command-error.ts'
import { type Collation } from '../keys/collation.ts'
import { compare } from '../keys/compare.ts'
import { isNullish } from './operator.ts'

// $minN and $maxN skip null.
export function pickN(
  name: string,
  items: readonly unknown[],
  options: { count: number; collation: Collation | undefined },
): unknown[] {
  const { count, collation } = options
  if (name === '$firstN') return items.slice(0, count)
  if (name === '$lastN') return items.slice(-count)
  const sign = name === '$minN' ? 1 : -1
  const known = items.filter((item) => !isNullish(item))
  return known.toSorted((a, b) => compare(a, b, collation) * sign).slice(0, count)
}

export function requireN(name: string, n: unknown): number {
  const count = isNumeric(n) ? toNumber(n) : NaN
  if (Number.isInteger(count) && count > 0) return count
  throw new CommandError(
    'Location5787908',
    `'n' of ${name} must be greater than 0, found ${isNumeric(n) ? String(n) : typeName(n)}`,
  )
}
