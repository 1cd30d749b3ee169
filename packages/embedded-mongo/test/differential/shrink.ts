import { type Document } from 'bson'
import { compareScript, type Difference, type Pair } from './compare.ts'

/** Removes what a difference does not need: commands, documents, fields, items of arrays. */
export async function shrinkDifference(servers: Pair, found: Difference): Promise<Difference> {
  let best = found
  const attempt = async (steps: readonly Document[]): Promise<boolean> => {
    const script = { setup: steps.slice(0, -1), commands: steps.slice(-1) }
    const difference = (await compareScript(servers, script)).at(0)
    if (difference === undefined || difference.explanation !== found.explanation) return false
    best = difference
    return true
  }
  let before: number
  do {
    before = size(best)
    await removeParts(stepsOf(best), (steps) => attempt(steps as Document[]))
  } while (size(best) < before)
  return best
}

function stepsOf({ script }: Difference): Document[] {
  return [...script.setup, ...script.commands]
}

function size(difference: Difference): number {
  return JSON.stringify(stepsOf(difference)).length
}

// Tries the value without each of its parts, then does the same with the parts that remain.
async function removeParts(
  value: unknown,
  keep: (smaller: unknown) => Promise<boolean>,
): Promise<unknown> {
  let current = value
  for (const key of keysOf(value).toReversed()) {
    const smaller = without(current, key)
    if (await keep(smaller)) current = smaller
  }
  for (const key of keysOf(current)) {
    const whole = current
    const part = await removeParts((whole as Document)[key], (smaller) =>
      keep(replaced(whole, key, smaller)),
    )
    current = replaced(whole, key, part)
  }
  return current
}

function keysOf(value: unknown): string[] {
  const isContainer = Array.isArray(value) || Object.getPrototypeOf(value ?? 0) === Object.prototype
  // Without an _id the servers generate different ones.
  return isContainer ? Object.keys(value as Document).filter((key) => key !== '_id') : []
}

function without(value: unknown, key: string): unknown {
  if (Array.isArray(value)) return value.toSpliced(Number(key), 1)
  const { [key]: _removed, ...rest } = value as Document
  return rest
}

function replaced(value: unknown, key: string, part: unknown): unknown {
  return Array.isArray(value)
    ? value.with(Number(key), part)
    : { ...(value as Document), [key]: part }
}
