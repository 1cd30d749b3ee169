import path from 'node:path'

export type DatabaseLocation =
  | { readonly kind: 'server'; readonly uri: string }
  | { readonly kind: 'folder'; readonly directory: string }
  | { readonly kind: 'memory' }

// `embedded:<dir>` is a folder relative to the working directory, `embedded:memory` is in memory;
// any other URI is passed to the driver.
export function parseDatabaseUri(uri: string): DatabaseLocation {
  if (!uri.startsWith('embedded:')) return { kind: 'server', uri }
  const target = uri.slice('embedded:'.length)
  if (target === 'memory') return { kind: 'memory' }
  return { kind: 'folder', directory: path.resolve(target) }
}

export function describeDatabase(uri: string): string {
  const location = parseDatabaseUri(uri)
  if (location.kind === 'memory') return 'embedded database in memory (lost when the process exits)'
  if (location.kind === 'folder') {
    const directory = path.relative(process.cwd(), location.directory)
    return `embedded database in ${directory.startsWith('..') ? location.directory : directory}`
  }
  return `MongoDB at ${uri.replace(/\/\/[^@/]*@/, '//').replace(/\?.*$/, '')}`
}
