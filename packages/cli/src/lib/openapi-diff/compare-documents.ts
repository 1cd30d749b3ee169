import { compareOperations } from './compare-operations.ts'
import { type Difference, type Report } from './difference.ts'
import { type Document, readDocument } from './document.ts'
import { isJson, type Json } from './json.ts'
import { rules } from './rules.ts'

const methods = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace']

/**
 * Finds out what changes for clients from one OpenAPI document to the next.
 *
 * @param before the document they were written for
 * @param after the document that is to be served
 * @returns every difference, operation by operation
 * @throws CliError `INVALID_DOCUMENT` when one of them is not an OpenAPI 3.1 document
 */
export function compareDocuments(before: unknown, after: unknown): readonly Difference[] {
  const documents = {
    before: readDocument(before, 'the earlier document'),
    after: readDocument(after, 'the document of the application'),
  }
  const known = listOperations(documents.before)
  const served = listOperations(documents.after)
  const differences: Difference[] = []
  for (const key of new Set([...known.keys(), ...served.keys()])) {
    const earlier = known.get(key)
    const later = served.get(key)
    const operation = later?.name ?? earlier?.name ?? key
    const report: Report = (rule, at, message) => {
      differences.push({ rule, breaking: rules[rule].breaking, operation, at, message })
    }
    if (earlier === undefined) report('operation-added', '', 'new')
    else if (later === undefined) report('operation-removed', '', 'removed')
    else {
      const pair = { before: earlier.operation, after: later.operation }
      compareOperations({ ...documents, report }, pair)
    }
  }
  return differences
}

interface NamedOperation {
  readonly name: string
  readonly operation: Json
}

// Names of path parameters do not matter: /posts/{id} is /posts/{postId}.
function listOperations(document: Document): ReadonlyMap<string, NamedOperation> {
  const operations = new Map<string, NamedOperation>()
  for (const [path, item] of Object.entries(document.paths)) {
    for (const [method, operation] of Object.entries(document.resolve(item))) {
      if (!methods.includes(method) || !isJson(operation)) continue
      const name = `${method.toUpperCase()} ${path}`
      operations.set(name.replaceAll(/\{[^}]*\}/g, '{}'), { name, operation })
    }
  }
  return operations
}
