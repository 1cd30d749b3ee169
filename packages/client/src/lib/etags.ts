const maximum = 1000

interface Version {
  readonly etag: string
  readonly updatedAt: unknown
}

// The versions of the documents that a client has read.
export interface Versions {
  /** Remembers the version of a document at a path. */
  remember(path: string, document: unknown, etag: string | null): void
  /** The version of this very object, or of the document at the path if it is a copy of what was read last. */
  find(path: string, document: unknown): string | undefined
}

// Remembers the last thousand documents; an object that is still in use is remembered in any case.
export function createVersions(): Versions {
  const byObject = new WeakMap<object, string>()
  const byPath = new Map<string, Version>()
  return {
    remember(path, document, etag) {
      if (!etag || !isDocument(document)) return
      byObject.set(document, etag)
      byPath.delete(path)
      byPath.set(path, { etag, updatedAt: document.updatedAt })
      if (byPath.size > maximum) byPath.delete(String(byPath.keys().next().value))
    },
    find(path, document) {
      if (!isDocument(document)) return undefined
      const known = byPath.get(path)
      const copied = known?.updatedAt === document.updatedAt ? known?.etag : undefined
      return byObject.get(document) ?? copied
    },
  }
}

function isDocument(value: unknown): value is { readonly updatedAt?: unknown } {
  return typeof value === 'object' && value !== null
}
