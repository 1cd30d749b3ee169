import { type Doc, getField, isDocument, withField } from '../bson/document.ts'
import { CommandError } from '../errors/command-error.ts'
import { createScope, type Scope } from '../expressions/scope.ts'
import { type Filter } from '../query/compile-filter.ts'
import { computeNode, excludeNode, includeNode } from './apply-projection.ts'
import { parseProjection } from './parse-projection.ts'

interface ProjectionOptions {
  // The query's filter, for the positional `a.$`, which is an error without one.
  filter?: Filter | undefined
  scope?: Scope | undefined
  // A find projection supports $slice, $elemMatch and `a.$`; $project does not.
  kind?: 'find' | 'stage' | undefined
}

export function compileProjection(spec: Doc, options: ProjectionOptions = {}): (doc: Doc) => Doc {
  const { kind = 'find', scope = createScope() } = options
  const { root, isInclusion, positional } = parseProjection(spec, { kind, scope })
  const project = isInclusion ? includeNode : excludeNode
  const plain = (doc: Doc) => {
    const projected = project(doc, root)
    return root.isComputed ? computeNode(projected, root, doc) : projected
  }
  if (positional === undefined) return plain
  const { filter } = options
  if (filter === undefined) {
    throw new CommandError(
      'Location51050',
      `Positional projection '${positional}.$' does not match the query document.`,
    )
  }
  return (doc) => plain(keepHitOnly(doc, positional, filter.hit(doc)))
}

// Reduces the first array on a path to the element the filter matched.
function keepHitOnly(doc: Doc, path: string, hit: number | undefined): Doc {
  const [name = '', ...rest] = path.split('.')
  const value = getField(doc, name)
  if (Array.isArray(value)) {
    if (hit === undefined || hit < 0 || hit >= value.length) {
      throw new CommandError(
        'Location51246',
        "Executor error during find command :: caused by :: positional operator '.$' couldn't find a matching element in the array",
      )
    }
    return withField(doc, name, [value[hit]])
  }
  if (!isDocument(value) || rest.length === 0) return doc
  return withField(doc, name, keepHitOnly(value, rest.join('.'), hit))
}
