import { type Document } from './document.ts'
import { type RuleName } from './rules.ts'

/** One difference between two documents. */
export interface Difference {
  /** The kind of difference. */
  readonly rule: RuleName
  /** Whether a client written for the earlier document can fail with the later one. */
  readonly breaking: boolean
  /** Method and path, such as `GET /api/posts/{id}`. */
  readonly operation: string
  /**
   * Place within the operation, such as `query.page`, `body.title` or `200.data.title`; empty for
   * the operation itself. Path parameters are numbered: `path.1`.
   */
  readonly at: string
  /** The change, such as `maxLength 9 → 5`. */
  readonly message: string
}

export type Report = (rule: RuleName, at: string, message: string) => void

export interface Comparison {
  readonly before: Document
  readonly after: Document
  readonly report: Report
}

// The same part of both documents.
export interface Pair<Part> {
  readonly before: Part
  readonly after: Part
}

// Whether clients send a value or read it.
export type Direction = 'input' | 'output'
