import { type CallOptions } from './operations.ts'

/** Options of `each` and `pages`. */
export interface EachOptions extends CallOptions {
  /**
   * Documents in one request.
   * @default 100
   */
  readonly pageSize?: number
  /**
   * Documents in all.
   * @default all
   */
  readonly limit?: number
}

interface Page {
  readonly data: readonly unknown[]
  readonly meta?: { readonly nextCursor?: string | null }
}

type List = (query: object, options: EachOptions) => Promise<unknown>

// Reads the pages of a list one after another, by cursor.
export async function* readPages(
  list: List,
  query: unknown,
  options: unknown,
): AsyncGenerator<Page> {
  const { limit = Infinity, pageSize = 100, ...call } = (options ?? {}) as EachOptions
  let left = limit
  let cursor: string | null | undefined = ''
  while (left > 0 && typeof cursor === 'string') {
    const parameters = { ...(query as object), cursor, limit: Math.min(pageSize, left) }
    const page = (await list(parameters, call)) as Page
    yield page
    left -= page.data.length
    cursor = page.meta?.nextCursor
  }
}

// Reads the documents of pages one after another.
export async function* readItems(pages: AsyncIterable<Page>): AsyncGenerator {
  for await (const { data } of pages) yield* data
}
