import { type ListChange } from './changes.ts'
import { rejectUnlessInterrupted } from './events.ts'
import { type CallOptions } from './operations.ts'
import { wait } from './wait.ts'

/** A resource of a generated client whose list is live. */
export interface LiveResource<Query, Page> {
  /** Reads a page. */
  readonly list: (query?: Query, options?: CallOptions) => PromiseLike<Page>
  /** Reads the changes of the list. */
  readonly changes: (query?: never, options?: CallOptions) => AsyncIterable<ListChange>
}

/** Options of {@link livePage}. */
export interface LivePageOptions extends CallOptions {
  /**
   * Least time between two requests for the page, in milliseconds.
   * @default 1000
   */
  readonly interval?: number
}

interface SomePage {
  readonly data: readonly { readonly id: unknown }[]
}

/**
 * Keeps a page of a live list current: yields it now and whenever it has changed. A document that has changed takes the place of
 * the previous one if the order stays the same; otherwise the page is read again. Leave the loop to end it.
 * @param resource - a resource of the client, such as `client.posts`
 * @param query - the query of the page
 * @param options - signal, header fields and interval
 * @yields the page
 * @throws Failure when the server refuses a request
 * @example
 * ```ts
 * import { livePage } from '@create-api/client/live'
 *
 * for await (const { data } of livePage(client.posts, { sort: '-createdAt' })) console.log(data)
 * ```
 */
export async function* livePage<Query extends object, Page extends SomePage>(
  resource: LiveResource<Query, Page>,
  query?: Query,
  options: LivePageOptions = {},
): AsyncGenerator<Page> {
  const { interval = 1000, signal: outer, ...others } = options
  const controller = new AbortController()
  const { signal } = controller
  const end = (): void => controller.abort()
  outer?.addEventListener('abort', end)
  if (outer?.aborted) end()
  const state = new State<Page>()
  const following = state
    .follow(resource.changes(toFilters(query) as never, { ...others, signal }), query)
    .finally(end)
  try {
    while (!signal.aborted) {
      if (state.isStale) {
        await state.read(() => resource.list(query, { ...others, signal }))
        if (state.isNew) yield state.take()
        await wait(interval, signal).catch(() => undefined)
      } else if (state.isNew) yield state.take()
      else await Promise.race([state.changed(), following])
    }
    await following
  } finally {
    end()
    outer?.removeEventListener('abort', end)
    await following.catch(() => undefined)
  }
}

class State<Page extends SomePage> {
  isNew = false
  isStale = false
  #page: Page | undefined
  #isReading = false
  #onChange: (() => void) | undefined

  async follow(changes: AsyncIterable<ListChange>, query: object | undefined): Promise<void> {
    for await (const change of changes) {
      // The page that is being read may be older than the change.
      const page = this.#page && !this.#isReading ? replace(this.#page, change, query) : undefined
      this.#page = page ?? this.#page
      this.isNew ||= page !== undefined
      this.isStale ||= page === undefined
      this.#onChange?.()
    }
  }

  changed(): Promise<void> {
    return new Promise((resolve) => (this.#onChange = resolve))
  }

  async read(list: () => PromiseLike<Page>): Promise<void> {
    this.isStale = false
    this.#isReading = true
    const page = await list().then(undefined, rejectUnlessInterrupted)
    this.#isReading = false
    this.#page = page ?? this.#page
    this.isNew = page !== undefined
    this.isStale ||= page === undefined
  }

  take(): Page {
    this.isNew = false
    return this.#page as Page
  }
}

const ofPages = ['page', 'limit', 'offset', 'cursor', 'sort', 'total']

function toFilters(query: object = {}): object {
  return Object.fromEntries(Object.entries(query).filter(([name]) => !ofPages.includes(name)))
}

// The page after a change that keeps its order; undefined if it has to be read again.
function replace<Page extends SomePage>(
  page: Page,
  change: ListChange,
  query: object | undefined,
): Page | undefined {
  const sort: unknown = Reflect.get(query ?? {}, 'sort')
  if (change.type !== 'changed' || typeof sort !== 'string') return undefined
  const { data } = change
  const at = page.data.findIndex(({ id }) => id === data.id)
  const before = page.data[at]
  const names = sort.split(',').map((name) => name.replace('-', ''))
  const isSame = (name: string): boolean =>
    JSON.stringify(Reflect.get(data, name)) === JSON.stringify(Reflect.get(before ?? {}, name))
  return before && names.every(isSame)
    ? { ...page, data: page.data.map((one, index) => (index === at ? data : one)) }
    : undefined
}
