import { type Arguments, type CallOptions } from './operations.ts'

/** Options of `each` and `pages`. */
export interface EachOptions extends CallOptions {
  /**
   * Number of documents in one request.
   * @default 100
   */
  readonly pageSize?: number
  /**
   * Maximum number of documents.
   * @default all
   */
  readonly limit?: number
}

/** The query of `each` and `pages`: that of the list, without what they set themselves. */
export type EachQuery<Query> = Omit<Query, 'page' | 'offset' | 'cursor' | 'limit'>

interface Page {
  readonly data: readonly unknown[]
  readonly meta?: { readonly nextCursor?: string | null }
}

type RequestPage = (query: Arguments['query']) => Promise<{ readonly data: unknown }>

// Reads the pages of a list one after another, by cursor.
export async function* readPages(
  request: RequestPage,
  { options, query }: Arguments,
): AsyncGenerator<Page> {
  const { limit = Infinity, pageSize = 100 }: EachOptions = options
  let left = limit
  let cursor: string | null | undefined = ''
  while (left > 0 && typeof cursor === 'string') {
    const { data } = await request({ ...query, cursor, limit: Math.min(pageSize, left) })
    const page = data as Page
    yield page
    left -= page.data.length
    cursor = page.meta?.nextCursor
  }
}

// Reads the documents of pages one after another.
export async function* readItems(pages: AsyncIterable<Page>): AsyncGenerator {
  for await (const { data } of pages) yield* data
}
