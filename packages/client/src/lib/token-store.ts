import { type Tokens } from './tokens.ts'

/**
 * A store for the tokens of a session. All tabs of an application must share it, or each tab has its own
 * session.
 */
export interface TokenStore {
  /** Reads the tokens that were written last, by any tab. */
  read(): Tokens | undefined | Promise<Tokens | undefined>
  /** Writes the tokens, or removes them. */
  write(tokens: Tokens | undefined): void | Promise<void>
}

/**
 * Creates a store that keeps tokens in a variable. The session ends when the page is closed.
 * @returns the store
 */
export function createMemoryStore(): TokenStore {
  let kept: Tokens | undefined
  return {
    read: () => kept,
    write(tokens) {
      kept = tokens
    },
  }
}

// The part of `localStorage` that is used.
export interface Area {
  getItem(key: string): string | null
  setItem(key: string, value: string): void
  removeItem(key: string): void
}

export function findLocalStorage(): Area | undefined {
  try {
    return (globalThis as { localStorage?: Area }).localStorage
  } catch {
    // Browsers throw where the user has forbidden it.
    return undefined
  }
}

/**
 * Creates a store that keeps tokens in `localStorage`: one session for all tabs, which survives a restart of
 * the browser. Any script of the page can read the tokens there; prefer cookies if the front end and the API
 * are on the same site.
 * @param key - the name of the entry
 * @returns the store
 * @throws Error where there is no `localStorage`
 */
export function createLocalStore(key: string): TokenStore {
  const area = findLocalStorage()
  if (!area) throw new Error('No localStorage: use another storage.')
  return {
    read() {
      try {
        return (JSON.parse(area.getItem(key) ?? 'null') as Tokens | null) ?? undefined
      } catch {
        return undefined
      }
    },
    write(tokens) {
      if (tokens) area.setItem(key, JSON.stringify(tokens))
      else area.removeItem(key)
    },
  }
}
