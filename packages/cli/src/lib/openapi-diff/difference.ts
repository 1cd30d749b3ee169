import { type Document } from './document.ts'
import { type RuleName } from './rules.ts'

/** One difference between two documents. */
export interface Difference {
  readonly rule: RuleName
  readonly breaking: boolean
  /** Such as `GET /api/posts/{id}`. */
  readonly operation: string
  /** Where in it: `query.page`, `body.title`, `200.data.title`; empty for the operation itself. */
  readonly at: string
  readonly message: string
}

/** Takes down a difference. */
export type Report = (rule: RuleName, at: string, message: string) => void

/** What a comparison of parts needs. */
export interface Comparison {
  readonly before: Document
  readonly after: Document
  readonly report: Report
}

/** A part of both documents; `undefined` where one of them lacks it. */
export interface Pair<Part> {
  readonly before: Part
  readonly after: Part
}

/** Whether clients send a part, or read it. */
export type Direction = 'input' | 'output'
