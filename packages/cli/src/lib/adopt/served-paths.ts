import { type SourceFile } from './source-files.ts'

export interface ServedPath {
  readonly path: string
  readonly file: string
  readonly line: number
}

// Paths of the API at its mount: an application that serves one of them needs another prefix for it.
export const ownPaths = ['/api', '/docs', '/openapi.json'] as const

// Texts of the source that look like a path below `prefix` of the API, because an application can put its routes together from
// settings.
export function findServedPaths(
  sources: readonly SourceFile[],
  prefix: string,
): readonly ServedPath[] {
  const paths = ownPaths.map((path) => prefix + path)
  return sources.flatMap(({ path: file, text }) =>
    [...text.matchAll(/(["'`])(\/[\w./:-]*)(?:\1|\$\{)/g)].flatMap(({ 2: path = '', index }) => {
      const isServed = paths.some((own) => path === own || path.startsWith(`${own}/`))
      return isServed ? [{ path, file, line: text.slice(0, index).split('\n').length }] : []
    }),
  )
}

const candidates = ['/v2', '/v3', '/next', '/create-api']

// A prefix that the application does not serve.
export function proposePrefix(sources: readonly SourceFile[]): string {
  const free = candidates.find((prefix) => {
    const start = new RegExp(`["'\`]${prefix}(["'\`/]|\\$)`)
    return !sources.some(({ text }) => start.test(text))
  })
  return free ?? '/create-api'
}
