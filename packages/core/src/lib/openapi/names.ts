import { z } from 'zod'
import { type Endpoint } from '../routing/route.ts'

/**
 * The name of what a path is about, in the singular: `/api/posts/:postId/comments` → `PostComment`.
 * @param path - pattern of a path
 * @returns the name in PascalCase
 */
export function toResourceName(path: string): string {
  return toWords(path)
    .map(({ word }) => toPascal(toSingular(word)))
    .join('')
}

/**
 * The last literal segment of a path, which groups its operations: `/api/posts/:id` → `posts`.
 * @param path - pattern of a path
 * @returns the tag
 */
export function toTag(path: string): string {
  return toWords(path).at(-1)?.word ?? 'api'
}

/**
 * Names an operation after method and path, as generated clients will call it: `listPosts`,
 * `createPost`, `getPost`, `replacePost`, `updatePost`, `deletePost`, `publishPost`.
 * @param endpoint - the operation
 * @returns its own `operationId`, or one made for it
 */
export function toOperationId(endpoint: Endpoint): string {
  const { method, path, route } = endpoint
  if (route.operationId !== undefined) return route.operationId
  const words = toWords(path)
  const last = words.at(-1)
  if (!last) return method.toLowerCase()
  const parents = words.slice(0, -1).map(({ word, one }) => toPascal(one ? toSingular(word) : word))
  if (method === 'POST' && !last.one && route.status !== 201 && parents.length > 0) {
    return toCamel(last.word) + parents.join('')
  }
  const single = last.one || (method === 'POST' && route.status === 201)
  const name = toPascal(single ? toSingular(last.word) : last.word)
  return toVerb(endpoint) + parents.join('') + name
}

/**
 * One line that says what an operation does.
 * @param endpoint - the operation
 * @param operationId - its name
 * @returns the route's own summary, or the name as words
 */
export function toSummary(endpoint: Endpoint, operationId: string): string {
  const { route } = endpoint
  if (route.summary !== undefined) return route.summary
  const words = operationId.replaceAll(/([a-z\d])([A-Z])/g, '$1 $2').toLowerCase()
  return words.charAt(0).toUpperCase() + words.slice(1)
}

const verbs: Readonly<Record<string, string>> = {
  GET: 'get',
  PUT: 'replace',
  PATCH: 'update',
  DELETE: 'delete',
}

function toVerb({ method, route }: Endpoint): string {
  if (method === 'GET' && route.response instanceof z.ZodArray) return 'list'
  if (method === 'POST') return route.status === 201 ? 'create' : 'post'
  return verbs[method] ?? method.toLowerCase()
}

interface Word {
  readonly word: string
  /** Whether a parameter follows, so that one of them is meant. */
  readonly one: boolean
}

function toWords(path: string): Word[] {
  const segments = path.split('/').filter((segment) => segment !== '')
  return segments.flatMap((word, index) =>
    word.startsWith(':') || /^(api|v\d+)$/.test(word)
      ? []
      : [{ word, one: segments[index + 1]?.startsWith(':') === true }],
  )
}

// Only names are made of it, so a rare word may come out odd but never changes.
function toSingular(word: string): string {
  if (/(ss|us|is|news|series|species)$/.test(word)) return word
  if (word.endsWith('ies')) return `${word.slice(0, -3)}y`
  if (/(ss|us|x|z|ch|sh)es$/.test(word)) return word.slice(0, -2)
  return word.replace(/s$/, '')
}

function toPascal(word: string): string {
  const camel = toCamel(word)
  return camel.charAt(0).toUpperCase() + camel.slice(1)
}

function toCamel(word: string): string {
  return word.replaceAll(/[^A-Za-z\d]+([A-Za-z\d]?)/g, (_, letter: string) => letter.toUpperCase())
}
