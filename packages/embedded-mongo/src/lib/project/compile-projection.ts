import { createScope, type Scope } from '../aggregate/expressions/scope.ts'
import { type Doc } from '../bson/document.ts'
import { CommandError } from '../errors/command-error.ts'
import { type Filter } from '../query/compile-filter.ts'
import { computeNode, excludeNode, includeNode } from './apply-projection.ts'
import { parseProjection } from './parse-projection.ts'
import { keepHitOnly } from './positional.ts'

/** What a projection depends on beside the document. */
export interface ProjectionOptions {
  /**
   * The filter of the query, for the positional `a.$`.
   * @default none: a positional projection is then an error
   */
  filter?: Filter | undefined
  /**
   * Variables, time and collation for expressions.
   * @default no variables
   */
  scope?: Scope | undefined
  /**
   * Whether this is the projection of a find (with `$slice`, `$elemMatch` and `a.$`) or a `$project`.
   * @default 'find'
   */
  kind?: 'find' | 'stage' | undefined
}

/**
 * Compiles a projection.
 * @param spec - The projection document.
 * @param options - Filter and scope.
 * @returns A function that projects a document without changing it.
 * @throws {CommandError} 31253, 31254 for a mix of inclusion and exclusion, 31249 and 31250 for path collisions.
 */
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
      51050,
      `Positional projection '${positional}.$' does not match the query document.`,
    )
  }
  return (doc) => plain(keepHitOnly(doc, positional, filter.hit(doc)))
}
