import { text } from '../code/literals.ts'
import { type Document, type Json, toJson, toList } from './document.ts'

export interface Failing {
  /** As in the document: 404, 4XX or default. */
  readonly status: string
  /** Undefined for a response whose codes are not documented. */
  readonly code: string | undefined
}

// The codes of the errors that an operation documents.
export function readFailures(document: Document, definition: Json): readonly Failing[] {
  const failing: Failing[] = []
  for (const [status, value] of Object.entries(toJson(definition['responses']))) {
    if (!/^([45]|default)/.test(status)) continue
    const codes = readCodes(document, value)
    if (codes.length === 0) failing.push({ status, code: undefined })
    for (const code of codes) failing.push({ status, code })
  }
  return failing
}

function readCodes(document: Document, response: unknown): readonly string[] {
  const content = toJson(document.resolve(response)['content'])
  const schemas = Object.values(content).map((media) => toJson(media)['schema'])
  return [...new Set(schemas.flatMap((schema) => findCodes(document, schema)))]
}

function findCodes(document: Document, schema: unknown, depth = 0): readonly string[] {
  if (depth > 5) return []
  const { allOf, anyOf, oneOf, properties } = document.resolve(schema)
  const { const: constant, enum: values } = document.resolve(toJson(properties)['code'])
  const own = constant === undefined ? toList(values) : [constant]
  const below = (parts: unknown): readonly (readonly string[])[] =>
    toList(parts).map((part) => findCodes(document, part, depth + 1))
  // Each part of an `allOf` narrows what the others allow.
  const narrowed = below(allOf)
    .filter((codes) => codes.length > 0)
    .toSorted((a, b) => a.length - b.length)[0]
  return [
    ...own.filter((code) => typeof code === 'string'),
    ...(narrowed ?? []),
    ...[...below(oneOf), ...below(anyOf)].flat(),
  ]
}

export function toFailureType({ code, status }: Failing, current: string): string {
  if (!/^\d+$/.test(status)) return 'Failure<`http_${number}`>'
  if (code === undefined) return `Failure<'http_${status}', ${status}>`
  if (code === 'precondition_failed' && status === '412') return `PreconditionFailure<${current}>`
  const failure = `Failure<${text(code)}, ${status}>`
  return code === 'validation_failed'
    ? `(${failure} & { readonly errors: readonly ErrorItem[] })`
    : failure
}
