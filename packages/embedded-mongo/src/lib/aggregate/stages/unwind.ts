import { Long } from 'bson'
import { type Doc, isDocument, valueAt, withPath } from '../../bson/document.ts'
import { typeName } from '../../bson/type-name.ts'
import { CommandError } from '../../errors/command-error.ts'
import { type Run } from '../stage.ts'

/**
 * Compiles `$unwind`.
 * @param operand - A path or an object with `path`, `includeArrayIndex`, `preserveNullAndEmptyArrays`.
 * @returns The stage.
 */
export function unwind(operand: unknown): Run {
  const { parts, index, preserve } = parse(operand)
  return function* unwindAll(input) {
    for (const doc of input) {
      const value = valueAt(doc, parts)
      const isEmpty =
        value === undefined || value === null || (Array.isArray(value) && value.length === 0)
      if (isEmpty && !preserve) continue
      if (!Array.isArray(value)) yield withIndex(doc, index, null)
      else if (value.length === 0) yield withIndex(withPath(doc, parts, undefined), index, null)
      else {
        for (const [i, item] of value.entries()) {
          yield withIndex(withPath(doc, parts, item), index, Long.fromNumber(i))
        }
      }
    }
  }
}

interface Unwind {
  parts: string[]
  index: string[] | undefined
  preserve: boolean
}

function parse(operand: unknown): Unwind {
  const spec: Doc = isDocument(operand) ? operand : { path: operand }
  if (!isDocument(operand) && typeof operand !== 'string') {
    throw new CommandError(
      15981,
      `expected either a string or an object as specification for $unwind stage, got ${typeName(operand)}`,
    )
  }
  const unknown = Object.keys(spec).find(
    (name) => !['path', 'includeArrayIndex', 'preserveNullAndEmptyArrays'].includes(name),
  )
  if (unknown !== undefined)
    throw new CommandError(28811, `unrecognized option to $unwind stage: ${unknown}`)
  const { path, includeArrayIndex: index, preserveNullAndEmptyArrays: preserve = false } = spec
  if (path === undefined) throw new CommandError(28812, 'no path specified to $unwind stage')
  if (typeof path !== 'string')
    throw new CommandError(
      28808,
      `expected a string as the path for $unwind stage, got ${typeName(path)}`,
    )
  if (!path.startsWith('$'))
    throw new CommandError(
      28818,
      `path option to $unwind stage should be prefixed with a '$': ${path}`,
    )
  if (typeof preserve !== 'boolean')
    throw new CommandError(
      28809,
      `expected a boolean for the preserveNullAndEmptyArrays option to $unwind stage, got ${typeName(preserve)}`,
    )
  return { parts: path.slice(1).split('.'), index: parseIndex(index), preserve }
}

function parseIndex(index: unknown): string[] | undefined {
  if (index === undefined) return undefined
  if (typeof index !== 'string' || index === '')
    throw new CommandError(
      28810,
      `expected a non-empty string for the includeArrayIndex option to $unwind stage, got ${typeName(index)}`,
    )
  if (index.startsWith('$'))
    throw new CommandError(
      28822,
      `includeArrayIndex option to $unwind stage should not be prefixed with a '$': ${index}`,
    )
  return index.split('.')
}

function withIndex(doc: Doc, index: readonly string[] | undefined, value: Long | null): Doc {
  return index === undefined ? doc : withPath(doc, index, value)
}
