import { type Tokens } from './tokens.ts'

/**
 * Where the tokens of a session are kept. All tabs of an application must reach the same tokens, or each has a
 * session that no other tab has.
 */
export interface TokenStore {
  /** Reads what was written last, by any tab. */
  read(): Tokens | undefined | Promise<Tokens | undefined>
  /** Keeps the tokens, or forgets them. */
  write(tokens: Tokens | undefined): void | Promise<void>
}

/**
 * Keeps tokens in a variable: a session of this page, which ends when it is closed.
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
 * Keeps tokens in `localStorage`: one session for all tabs, which survives a restart of the browser. Any script of the page
 * can read them there; prefer cookies where the front end and the API are on the same site.
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
