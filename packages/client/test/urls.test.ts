import { describe, expect, it } from 'vitest'
import { type ApiClient, createApiClient, createSession, type Operations } from '../src/index.ts'

type Things = ApiClient & {
  readonly things: Readonly<Record<'get' | 'delete', (id: unknown) => Promise<unknown>>>
}

interface Sent {
  readonly urls: string[]
  readonly client: Things
}

function createThings(path: string, url = 'https://api.example.com/v1'): Sent {
  const urls: string[] = []
  const operations = {
    things: { get: { method: 'GET', path }, delete: { method: 'DELETE', path } },
  } as const satisfies Operations
  const client = createApiClient<Things>(operations, {
    url,
    retries: 0,
    fetch(input) {
      urls.push((input as Request).url)
      return Promise.resolve(new Response('{}'))
    },
  })
  return { urls, client }
}

const origins = [
  'https://api.example.com',
  'https://api.example.com/',
  'https://api.example.com/v1',
]

describe('CLT-01 the URL of a call', () => {
  it.each(['', undefined, null, [], {}, { id: '' }])('needs an id, not %j', async (id) => {
    const { client, urls } = createThings('/things/{id}')
    await expect(client.things.delete(id)).rejects.toThrow('/things/{id} needs id.')
    expect(urls).toEqual([])
  })

  it.each(['.', '..', '%2e', '%2E.', '.%2e', '%2e%2E', { id: '..' }])(
    'is not built with the id %j',
    async (id) => {
      for (const path of ['/things/{id}', '/things/{id}/parts', '/{id}?a', '/{id}#a']) {
        const { client, urls } = createThings(path)
        await expect(client.things.delete(id)).rejects.toThrow(/^\/.* leads out of the API\.$/)
        expect(urls).toEqual([])
      }
    },
  )

  it('contains any other id as one segment', async () => {
    const { client, urls } = createThings('/things/{id}/parts')
    const characters = [
      '.',
      '/',
      '\\',
      '%',
      '2',
      'e',
      '?',
      '#',
      '\t',
      '\n',
      ':',
      '@',
      'ä',
      '😀',
      ' ',
      ';',
      '{',
      '}',
    ]
    let seed = 1
    const random = (below: number): number => {
      seed = (seed * 48_271) % 2_147_483_647
      return seed % below
    }
    for (let count = 0; count < 5000; count += 1) {
      const length = 1 + random(6)
      const id = Array.from({ length }, () => characters[random(characters.length)]).join('')
      const outcome = await client.things.get(id).then(
        () => urls.pop() ?? '',
        (error: unknown) => error,
      )
      if (/^(\.|%2e){1,2}$/i.test(id)) {
        expect(outcome).toBeInstanceOf(TypeError)
        continue
      }
      const { href, origin, pathname } = new URL(String(outcome))
      const [, version, things, segment, parts, ...rest] = pathname.split('/')
      expect([origin, version, things, parts, rest]).toEqual([
        'https://api.example.com',
        'v1',
        'things',
        'parts',
        [],
      ])
      expect(decodeURIComponent(segment ?? '')).toBe(id)
      expect(href).toBe(origin + pathname)
    }
  })

  it.each([
    ':4390/things',
    '.example.org/things',
    '@example.org/things',
    'things',
    '',
    '/../things',
    '/a/./things',
    '/a/%2e%2E/things',
    String.raw`/a\..\things`,
    '/a/.\t./things',
    '/..?a',
    '/..#a',
  ])('never leaves the API: %j', async (path) => {
    for (const url of origins) {
      const { client, urls } = createThings(path, url)
      await expect(client.things.get('1')).rejects.toThrow('leads out of the API')
      expect(urls).toEqual([])
    }
  })

  it('stays on the host of the page with a relative URL', async () => {
    const place = globalThis as { location?: { href: string } }
    place.location = { href: 'https://www.example.com/app' }
    try {
      for (const url of ['', '/', 'https://www.example.com']) {
        const { client, urls } = createThings('//example.org/things', url)
        await client.things.get('1')
        expect(urls).toEqual(['https://www.example.com//example.org/things'])
      }
    } finally {
      delete place.location
    }
  })

  it('replaces each parameter, whatever its name', async () => {
    const { client, urls } = createThings('/things/{.id}')
    await client.things.get('a b')
    expect(urls).toEqual(['https://api.example.com/v1/things/a%20b'])
  })
})

describe('CLT-01 the routes of authentication', () => {
  it.each([':4390', '.example.org', '@example.org', 'auth', '/../auth', '/%2e%2e/auth'])(
    'cannot be outside of the API: %j',
    (authPath) => {
      for (const url of origins) {
        expect(() => createSession({ url, authPath })).toThrow('leads out of the API')
      }
    },
  )
})
