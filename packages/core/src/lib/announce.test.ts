import { describe, expect, it } from 'vitest'
import { announce, type Announcement } from './announce.ts'
import { type Endpoint } from './route/route.ts'
import { type Route } from './route/route.ts'

function endpoint(method: string, path: string, access: Route['access'] = 'public'): Endpoint {
  const route: Route = { method: 'get', path, access, handler: () => {} }
  return { method, path, route, render: () => '', toStatus: (set) => set }
}

function record(change: Partial<Announcement>): string[] {
  const said: string[] = []
  announce({
    name: 'my-service',
    environment: 'development',
    url: 'http://localhost:3000',
    database: { uri: 'embedded:memory' },
    endpoints: [],
    openapi: { serve: true },
    auth: { routes: { path: '/api/v1/auth' } },
    warnings: [],
    print: (text) => said.push(text),
    logger: {
      info: (fields, message) => said.push(`info ${message} ${JSON.stringify(fields)}`),
      warn: (fields, message) => said.push(`warn ${message} ${JSON.stringify(fields)}`),
    },
    ...change,
  })
  return said
}

describe('announce', () => {
  it('prints URL, database and a first command in development', () => {
    const [text = ''] = record({})
    expect(text).toContain('my-service serves http://localhost:3000')
    expect(text).toContain('embedded database in memory')
    expect(text).toContain('npx api generate resource posts title:string body:text')
    const endpoints = [endpoint('GET', '/api/v1/auth/me', 'user'), endpoint('GET', '/api/posts')]
    expect(record({ endpoints })[0]).toContain('curl http://localhost:3000/api/posts')
    expect(record({ database: false })[0]).toContain('none')
  })

  it('is silent in tests', () => {
    expect(record({ environment: 'test' })).toEqual([])
  })

  it('AUZ-01 lists the routes with public write access when production starts', () => {
    const endpoints = [
      endpoint('GET', '/api/posts'),
      endpoint('POST', '/api/posts'),
      endpoint('DELETE', '/api/posts/:id'),
      endpoint('PATCH', '/api/notes/:id', 'owner'),
      endpoint('POST', '/api/v1/auth/login'),
    ]
    const database = { uri: 'mongodb://u:p@h/shop' }
    expect(record({ environment: 'production', endpoints, database })).toEqual([
      'info listening {"url":"http://localhost:3000","database":"MongoDB at mongodb://h/shop"}',
      'warn routes with public write access {"routes":["POST /api/posts","DELETE /api/posts/:id"]}',
    ])
  })

  it('warns production about the embedded database', () => {
    const said = record({ environment: 'production' })
    expect(said[1]).toContain('the embedded database is not intended for production')
  })

  it('CFG-06 says in production that the document is public, until that is chosen', () => {
    const message = 'info the OpenAPI document with all routes is public at /openapi.json and /docs'
    const database = { uri: 'mongodb://h/shop' }
    const production = { environment: 'production', database } as const
    expect(record({ ...production, openapi: {} })[1]).toContain(message)
    expect(record(production)).toHaveLength(1)
    expect(record({ ...production, openapi: false })).toHaveLength(1)
    expect(record({ openapi: { serve: false } })[0]).not.toContain('openapi.json')
  })
})
