import path from 'node:path'

/** Where the documents lie: a MongoDB server, a folder, or memory. */
export type DatabaseLocation =
  | { readonly kind: 'server'; readonly uri: string }
  | { readonly kind: 'folder'; readonly directory: string }
  | { readonly kind: 'memory' }

/**
 * Reads a database URI. `embedded:<dir>` is a folder, relative to the working directory, and
 * `embedded:memory` is memory; anything else is left to the driver.
 * @param uri - value of `MONGODB_URI`
 * @returns the location
 */
export function parseDatabaseUri(uri: string): DatabaseLocation {
  if (!uri.startsWith('embedded:')) return { kind: 'server', uri }
  const target = uri.slice('embedded:'.length)
  if (target === 'memory') return { kind: 'memory' }
  return { kind: 'folder', directory: path.resolve(target) }
}

/**
 * Says where the documents lie, without a password.
 * @param location - the location
 * @returns text for the start-up line
 */
export function describeDatabase(location: DatabaseLocation): string {
  if (location.kind === 'memory') return 'embedded database in memory (gone when the process ends)'
  if (location.kind === 'folder') {
    const directory = path.relative(process.cwd(), location.directory)
    return `embedded database in ${directory.startsWith('..') ? location.directory : directory}`
  }
  const uri = location.uri.replace(/\/\/[^@/]*@/, '//').replace(/\?.*$/, '')
  return `MongoDB at ${uri}`
}
