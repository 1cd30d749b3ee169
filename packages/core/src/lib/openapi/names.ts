import { z } from 'zod'
import { toWords } from '../route/path-words.ts'
import { type Endpoint, type Route, toResponses } from '../route/route.ts'

export function toResourceName(path: string): string {
  return toWords(path)
    .map(({ word }) => toPascal(toSingular(word)))
    .join('')
}

export function toOperationId(endpoint: Endpoint): string {
  const { method, path, route } = endpoint
  if (route.operationId !== undefined) return route.operationId
  const words = toWords(path)
  const last = words.at(-1)
  if (!last) return method.toLowerCase()
  const parents = words
    .slice(0, -1)
    .map(({ word, single }) => toPascal(single ? toSingular(word) : word))
  if (method === 'POST' && !last.single && !isCreating(route) && parents.length > 0) {
    return toCamel(last.word) + parents.join('')
  }
  const isSingle = last.single || (method === 'POST' && isCreating(route))
  const name = toPascal(isSingle ? toSingular(last.word) : last.word)
  return toVerb(endpoint) + parents.join('') + name
}

// `CreatePost` for createPost, `LoginBody` for login.
export function toBodyName(operationId: string): string {
  const name = toPascal(operationId)
  return /^(Create|Replace|Update)[A-Z]/.test(name) ? name : `${name}Body`
}

export function toSummary(endpoint: Endpoint, operationId: string): string {
  const { route } = endpoint
  if (route.summary !== undefined) return route.summary
  const words = operationId.replaceAll(/([a-z\d])([A-Z])/g, '$1 $2').toLowerCase()
  return words.charAt(0).toUpperCase() + words.slice(1)
}

const verbs: ReadonlyMap<string, string> = new Map(
  Object.entries<string>({
    GET: 'get',
    PUT: 'replace',
    PATCH: 'update',
    DELETE: 'delete',
  }),
)

function toVerb({ method, route }: Endpoint): string {
  if (method === 'GET' && [...toResponses(route).values()][0] instanceof z.ZodArray) return 'list'
  if (method === 'POST') return isCreating(route) ? 'create' : 'post'
  return verbs.get(method) ?? method.toLowerCase()
}

export function isCreating(route: Route): boolean {
  return toResponses(route).has(201)
}

// Used for names only: a rare word may be wrong, but the result is stable.
export function toSingular(word: string): string {
  if (/(ss|us|is|news|series|species)$/.test(word)) return word
  if (word.endsWith('ies')) return `${word.slice(0, -3)}y`
  if (/(ss|us|x|z|ch|sh)es$/.test(word)) return word.slice(0, -2)
  return word.replace(/s$/, '')
}

export function toPascal(word: string): string {
  const camel = toCamel(word)
  return camel.charAt(0).toUpperCase() + camel.slice(1)
}

function toCamel(word: string): string {
  return word.replaceAll(/[^A-Za-z\d]+([A-Za-z\d]?)/g, (_, letter: string) => letter.toUpperCase())
}
