import { toRule } from '../access/access.ts'
import { type Route } from '../route/route.ts'
import { type JsonObject } from './schema-components.ts'

/** Security Scheme Objects by name. */
export type SecuritySchemes = Readonly<Record<string, object>>

// The schemes of `Authorization`, each word as an alternative. The first is named `bearer`, because
// generated clients have that name for it.
export function toSecuritySchemes(
  words: readonly string[] = ['Bearer'],
  { apiKeys = false }: { readonly apiKeys?: boolean } = {},
): SecuritySchemes {
  return Object.fromEntries(
    words.map((word, index) => [
      index === 0 ? 'bearer' : toName(word),
      toSecurityScheme(word, apiKeys),
    ]),
  )
}

function toName(word: string): string {
  const name = word.toLowerCase().replaceAll(/[^\w.-]/g, '_')
  return name === 'bearer' ? 'bearer_token' : name
}

// Bearer is the only scheme that OpenAPI clients support.
function toSecurityScheme(word: string, apiKeys: boolean): JsonObject {
  const credentials = apiKeys ? 'the access token or an API key' : 'the access token'
  if (word === 'Bearer') {
    const format = apiKeys
      ? { description: 'An access token (JWT) or an API key.' }
      : { bearerFormat: 'JWT' }
    return { type: 'http', scheme: 'bearer', ...format }
  }
  const description = `\`${word}\`, a space and ${credentials}.`
  return { type: 'apiKey', in: 'header', name: 'Authorization', description }
}

// The requirements of a route: one of the schemes, with the roles and permissions that it needs.
export function toSecurity({ access }: Route, schemes: SecuritySchemes): JsonObject[] {
  if (access === 'public') return []
  const { anonymous, scopes } = toRule(access)
  // OpenAPI 3.1 allows schemes other than OAuth to list required roles.
  const alternatives = Object.keys(schemes).map((name) => ({ [name]: scopes }))
  return anonymous ? [{}, ...alternatives] : alternatives
}
