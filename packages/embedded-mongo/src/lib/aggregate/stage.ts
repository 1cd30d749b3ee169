import { type Doc } from '../bson/document.ts'
import { type Collation } from '../keys/collation.ts'
import { type Scope } from './expressions/scope.ts'

/** The part of a pipeline that a planner can serve: applied in this order. */
export interface LeadingQuery {
  filter?: Doc | undefined
  sort?: Doc | undefined
  skip?: number | undefined
  limit?: number | undefined
}

/** A collection that `$out` or `$merge` writes to. */
export interface WriteTarget {
  /** Finds one document that matches a filter. */
  findOne(filter: Doc): Doc | undefined
  /** Inserts a document. */
  insert(doc: Doc): void
  /** Replaces a document found before. */
  replace(before: Doc, after: Doc): void
  /** Replaces the whole collection, keeping its indexes. */
  replaceAll(docs: Iterable<Doc>): void
  /** Whether a unique index over exactly these fields exists (`_id` always has one). */
  isUnique(fields: readonly string[]): boolean
}

/** What a pipeline needs of its surroundings. */
export interface PipelineContext {
  /**
   * Reads a collection of the same database.
   * @param name - The collection.
   * @param query - What the documents have to match, and their order; all documents when left out.
   */
  collection(name: string, query?: LeadingQuery): Iterable<Doc>
  /**
   * Opens a collection for `$out` and `$merge`.
   * @param collection - The collection.
   * @param database - The database, when another one.
   */
  write(collection: string, database?: string): WriteTarget
  /**
   * Whether an index begins with a field, so that single documents are found fast.
   * @default no index: `$lookup` reads the other collection once
   */
  isIndexed?(collection: string, field: string): boolean
  /**
   * Values of `let`.
   * @default none
   */
  variables?: Doc | undefined
  /**
   * The time of `$$NOW`.
   * @default the time of compilation
   */
  now?: Date | undefined
  /**
   * How text compares.
   * @default binary
   */
  collation?: Collation | undefined
}

/** Turns documents into documents. */
export type Run = (input: Iterable<Doc>) => Iterable<Doc>

/** What a stage is compiled with. */
export interface StageContext {
  /** The stage's name, with `$`. */
  name: string
  scope: Scope
  surroundings: PipelineContext
  /**
   * How many documents of a sort the next stages let through.
   * @default all
   */
  limit?: number | undefined
  /** Compiles an inner pipeline. */
  compile(stages: unknown, scope: Scope): InnerPipeline
}

/** A pipeline inside a stage. */
export interface InnerPipeline {
  leading: LeadingQuery
  /** Runs what follows the leading part. */
  run: Run
  /** Runs all stages. */
  runAll: Run
}

/** Compiles a stage from its operand. */
export type StageCompiler = (operand: unknown, context: StageContext) => Run
