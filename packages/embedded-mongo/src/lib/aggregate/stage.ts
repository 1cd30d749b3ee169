import { type Doc } from '../bson/document.ts'
import { type Scope } from '../expressions/scope.ts'
import { type Collation } from '../keys/collation.ts'

// The part of a pipeline that a planner can serve, applied in this order.
export interface LeadingQuery {
  filter?: Doc | undefined
  sort?: Doc | undefined
  skip?: number | undefined
  limit?: number | undefined
}

export interface WriteTarget {
  findOne(filter: Doc): Doc | undefined
  insert(doc: Doc): void
  // `before` comes from findOne.
  replace(before: Doc, after: Doc): void
  // Keeps the indexes.
  replaceAll(docs: Iterable<Doc>): void
  // Whether a unique index covers exactly these fields (`_id` always has one).
  isUnique(fields: readonly string[]): boolean
}

export interface PipelineContext {
  // Reads a collection of the same database: all of it without a query.
  collection(name: string, query?: LeadingQuery): Iterable<Doc>
  write(collection: string, database?: string): WriteTarget
  // Whether an index starts with the field, so that single documents are found fast. Without it
  // $lookup reads the other collection once.
  isIndexed?(collection: string, field: string): boolean
  // Values of `let`.
  variables?: Doc | undefined
  now?: Date | undefined
  collation?: Collation | undefined
}

export type Run = (input: Iterable<Doc>) => Iterable<Doc>

export interface StageContext {
  // With `$`.
  name: string
  scope: Scope
  surroundings: PipelineContext
  // How many documents of a sort the following stages let through.
  limit?: number | undefined
  compile(stages: unknown, scope: Scope): InnerPipeline
}

export interface InnerPipeline {
  leading: LeadingQuery
  run: Run
  runAll: Run
}

export type StageCompiler = (operand: unknown, context: StageContext) => Run

export function readInner(
  collection: string,
  inner: InnerPipeline,
  surroundings: PipelineContext,
): Iterable<Doc> {
  const { filter } = inner.leading
  // An expression may use variables of this pipeline, which a planner does not know.
  const isOpaque = filter !== undefined && JSON.stringify(filter).includes('"$expr"')
  return isOpaque
    ? inner.runAll(surroundings.collection(collection))
    : inner.run(surroundings.collection(collection, inner.leading))
}
