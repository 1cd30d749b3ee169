import { z, type ZodType } from 'zod'
import { listLimits } from './list-limits.ts'

/** A way to page through a list. */
export type Paging = 'page' | 'cursor' | 'offset'

export interface PagingOptions {
  readonly paging?: readonly [Paging, ...Paging[]] | 'none' | undefined
  readonly limit?: number | undefined
}

/** Which part of a list a query requests. */
export interface PagePosition {
  readonly limit: number
  readonly page: number
  readonly offset?: number | undefined
  readonly cursor: string | undefined
}

type Query = Readonly<Record<string, unknown>>

interface Issues {
  addIssue(issue: { code: 'custom'; path: string[]; message: string }): void
}

export interface PagingParameters {
  /** Schema of each query parameter, by its name. */
  readonly shape: Record<string, ZodType>
  /** The position that a parsed query requests; adds an issue for two positions at once. */
  readonly toPosition: (query: Query, issues: Issues) => PagePosition
}

const wholeNumber = z
  .string()
  .regex(/^(0|[1-9]\d{0,15})$/, 'must be a whole number')
  .transform(Number)
const limits = z.int().min(1).max(listLimits.limit)

const schemas: Readonly<Record<Paging, ZodType>> = {
  page: wholeNumber.pipe(z.int().min(1).max(listLimits.page)).optional(),
  cursor: z.string().max(listLimits.cursor).optional(),
  offset: wholeNumber.pipe(z.int().min(0).max(listLimits.offset)).optional(),
}

const unpaged: PagingParameters = {
  shape: {},
  toPosition: () => ({ limit: listLimits.limit, page: 1, cursor: '' }),
}

export function toPagingParameters(options: PagingOptions): PagingParameters {
  const { paging = ['page', 'cursor', 'offset'] as const } = options
  if (paging === 'none') return unpaged
  const [first] = paging
  return {
    shape: {
      ...Object.fromEntries(paging.map((name) => [name, schemas[name]])),
      limit: wholeNumber.pipe(limits).default(limits.parse(options.limit ?? 20)),
    },
    toPosition(query, issues) {
      const [named = first, other] = paging.filter((name) => query[name] !== undefined)
      if (other !== undefined) {
        const message = `cannot be combined with ${named}`
        issues.addIssue({ code: 'custom', path: [other], message })
      }
      return {
        limit: Number(query['limit']),
        page: Number(query['page'] ?? 1),
        ...(named === 'offset' && { offset: Number(query['offset'] ?? 0) }),
        cursor: named === 'cursor' ? stringOrEmpty(query['cursor']) : undefined,
      }
    },
  }
}

function stringOrEmpty(value: unknown): string {
  return typeof value === 'string' ? value : ''
}
