import { findFieldRules } from '../schemas/restrict.ts'
import { isRecord } from '../json/plain.ts'
import { type Endpoint, toResponses } from '../route/route.ts'

// The fields that a route must not send to a caller without roles. Of rules that ask for no role or permission only
// the application knows what they decide.
export function toWithheldFields({ method, route }: Endpoint): string[] {
  if (method !== 'GET') return []
  const responses = [...toResponses(route).values()]
  const fields = responses
    .flatMap((response) => findFieldRules(response, 'readable'))
    .filter(({ rule }) => rule.scopes.length > 0)
  return [...new Set(fields.map(({ field }) => field.split('.').at(-1) ?? field))]
}

// The fields that a response to such a caller contains nevertheless.
export async function findFieldFaults(
  fields: readonly string[],
  response: Response,
): Promise<string[]> {
  const names = findNames(await toJson(response))
  return fields
    .filter((field) => names.has(field))
    .map((field) => `returns the restricted field '${field}' to a user without the role`)
}

async function toJson(response: Response): Promise<unknown> {
  const isJson = /\bjson\b/.test(response.headers.get('content-type') ?? '')
  if (isJson) return response.json()
  await response.body?.cancel()
  return undefined
}

// The names of the members in a JSON value, at any depth.
function findNames(value: unknown, names = new Set<string>()): ReadonlySet<string> {
  if (Array.isArray(value)) for (const item of value) findNames(item, names)
  if (isRecord(value)) {
    for (const [name, member] of Object.entries(value)) findNames(member, names.add(name))
  }
  return names
}
