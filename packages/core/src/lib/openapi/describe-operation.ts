import { toAccessName } from '../access/access.ts'
import { type Endpoint } from '../route/route.ts'

// Describes the definition of a route in sentences.
export function describeOperation({ method, route, deprecation }: Endpoint): string {
  const sentences = [
    deprecation?.description,
    describeAccess(toAccessName(route.access)),
    route.etag && method === 'GET' && 'Returns the version of the document as `ETag`.',
    route.etag &&
      ['PUT', 'PATCH', 'DELETE'].includes(method) &&
      (route.requireIfMatch
        ? 'Requires `If-Match` with the `ETag` of the document.'
        : 'With `If-Match`, changes only the version with this `ETag`.'),
    method === 'PATCH' && 'Members that are absent stay unchanged; `null` removes one (RFC 7396).',
    route.formats &&
      `The other media types, chosen by \`Accept\`, contain the whole list instead of one page.`,
    route.idempotent && 'With `Idempotency-Key`, can be retried safely.',
  ]
  return sentences.filter(Boolean).join(' ')
}

function describeAccess(name: string): string {
  if (name === 'public') return 'Anyone can call this.'
  if (name === 'optional') return 'Anyone can call this; credentials are used when they are sent.'
  return name === 'user' ? 'Requires credentials.' : `Requires credentials; access: ${name}.`
}
