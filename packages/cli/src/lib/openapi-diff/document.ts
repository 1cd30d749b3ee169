import { CliError } from '../errors.ts'
import { isJson, type Json, objectAt } from './json.ts'
import { apiCommand } from '../terminal/api-command.ts'

/** An OpenAPI document, and a way to follow its references. */
export interface Document {
  readonly paths: Json
  /** Gives what an object refers to, or the object itself. */
  readonly resolve: (value: unknown) => Json
}

/**
 * Reads an OpenAPI document.
 *
 * @param value the document
 * @param name what to call it in messages
 * @returns the document
 * @throws CliError `INVALID_DOCUMENT` when it is none, or of another version
 */
export function readDocument(value: unknown, name: string): Document {
  if (!isJson(value) || !String(value['openapi']).startsWith('3.1.') || !isJson(value['paths'])) {
    throw new CliError('INVALID_DOCUMENT', `${name} is not an OpenAPI 3.1 document`, {
      hint: `write it anew: ${apiCommand} openapi --write`,
    })
  }
  const root = value
  const resolve = (part: unknown): Json => {
    if (!isJson(part)) return {}
    const reference = part['$ref']
    return typeof reference === 'string' ? resolve(follow(root, reference)) : part
  }
  return { paths: value['paths'], resolve }
}

/**
 * Parses the text of a document.
 *
 * @param text JSON
 * @param name what to call it in messages
 * @returns the value
 * @throws CliError `INVALID_DOCUMENT` when it is not JSON
 */
export function parseDocument(text: string, name: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    throw new CliError('INVALID_DOCUMENT', `${name} is not JSON: ${reason}`, { cause: error })
  }
}

// #/components/schemas/Post, with ~1 for a slash in a name (RFC 6901).
function follow(root: Json, reference: string): unknown {
  const keys = reference.replace(/^#\//, '').split('/')
  const names = keys.map((key) =>
    decodeURIComponent(key).replaceAll('~1', '/').replaceAll('~0', '~'),
  )
  const last = names.pop() ?? ''
  return names.reduce<Json>((part, key) => objectAt(part, key), root)[last]
}
