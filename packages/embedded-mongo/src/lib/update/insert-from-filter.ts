import { type Doc, isDocument, setField } from '../bson/document.ts'
import { CommandError } from '../errors/command-error.ts'
import { isOperatorDocument } from '../query/compile-field.ts'
import { isRegExp } from '../query/comparison.ts'

/**
 * Starts the document of an upsert from the equalities of its filter.
 * @param filter - The filter of the update.
 * @returns The document before the update's modifiers.
 * @throws {CommandError} 54 when a field is given twice.
 */
export function insertFromFilter(filter: Doc): Doc {
  const equalities = new Map<string, unknown>()
  collect(filter, equalities)
  const doc: Doc = {}
  for (const [path, value] of equalities) place(doc, path.split('.'), value)
  return doc
}

function collect(filter: Doc, equalities: Map<string, unknown>): void {
  for (const [name, operand] of Object.entries(filter)) {
    if (name === '$and' || (name === '$or' && Array.isArray(operand) && operand.length === 1)) {
      if (Array.isArray(operand)) {
        for (const inner of operand) if (isDocument(inner)) collect(inner, equalities)
      }
    } else if (!name.startsWith('$')) {
      for (const value of equalitiesOf(operand)) note(name, value, equalities)
    }
  }
}

function equalitiesOf(operand: unknown): unknown[] {
  if (isRegExp(operand)) return []
  if (!isOperatorDocument(operand)) return [operand]
  const values: unknown[] = []
  if (operand['$eq'] !== undefined) values.push(operand['$eq'])
  const { $in, $all } = operand
  if (Array.isArray($in) && $in.length === 1 && !isRegExp($in[0])) values.push($in[0])
  if (Array.isArray($all)) {
    values.push(...$all.filter((item) => !isOperatorDocument(item) && !isRegExp(item)))
  }
  return values
}

function note(path: string, value: unknown, equalities: Map<string, unknown>): void {
  for (const other of equalities.keys()) {
    if (other === path) {
      throw new CommandError(
        54,
        `cannot infer query fields to set, path '${path}' is matched twice`,
      )
    }
    if (path.startsWith(`${other}.`) || other.startsWith(`${path}.`)) {
      throw new CommandError(
        54,
        `cannot infer query fields to set, both paths '${path}' and '${other}' are matched`,
      )
    }
  }
  equalities.set(path, value)
}

function place(doc: Doc, parts: readonly string[], value: unknown): void {
  const [name = '', ...rest] = parts
  if (rest.length === 0) {
    setField(doc, name, value)
    return
  }
  const inner = doc[name]
  const target: Doc = isDocument(inner) ? inner : {}
  setField(doc, name, target)
  place(target, rest, value)
}
