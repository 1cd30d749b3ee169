import { z } from 'zod'
import { createValidationError } from '../errors/to-error-items.ts'
import { type Route } from '../route/route.ts'
import { createStage, type Stage } from '../stage/stage.ts'

// A document whose key is a literal segment beside the parameter, such as `changes`, could never be read.
export function refuseReservedKeys(
  { body, method }: Route,
  path: string,
  paths: readonly string[],
): Stage[] {
  const collection = method === 'post' ? path : path.replace(/\/:\w+$/, '')
  const segments = findSegments(collection, paths)
  const words = new Set(segments.filter((segment) => !segment.startsWith(':')))
  const fields = body instanceof z.ZodObject ? body.shape : {}
  const keys = segments
    .filter((segment) => segment.startsWith(':'))
    .map((segment) => segment.slice(1))
    .filter((name) => Object.hasOwn(fields, name))
  if (keys.length === 0 || words.size === 0) return []
  return [
    createStage((req) => {
      const input: unknown = req.valid.body
      const wrong = keys.filter((key) => words.has(String(Object(input)[key])))
      if (wrong.length === 0) return
      throw createValidationError(
        wrong.map((key) => ({
          in: 'body',
          pointer: `#/${key}`,
          code: 'reserved',
          detail: 'is a word in the path of another route',
        })),
      )
    }),
  ]
}

// The segments that follow a path in others.
function findSegments(path: string, paths: readonly string[]): readonly string[] {
  const before = path.split('/')
  const found = paths.flatMap((other) => {
    const parts = other.split('/')
    const isBelow = before.every((part, at) => isSameSegment(part, parts[at] ?? ''))
    const next = parts[before.length]
    return isBelow && next !== undefined ? [next] : []
  })
  return [...new Set(found)]
}

function isSameSegment(one: string, other: string): boolean {
  return one === other || (one.startsWith(':') && other.startsWith(':'))
}
