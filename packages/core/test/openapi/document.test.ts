import { model, Schema } from 'mongoose'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import {
  createApi,
  createRegistry,
  createRouter,
  defineErrors,
  defineRoute,
  success,
} from '../../src/index.ts'
import { idParams as params, toOutputSchema } from '../../src/resource.ts'
import { catalogue } from '../../src/lib/errors/catalogue.ts'
import { api } from '../golden/rich/app.js'

// Each test is a line of what the document has to carry.

interface Operation {
  readonly operationId: string
  readonly security: readonly object[]
  readonly description?: string
  readonly tags: readonly string[]
  readonly parameters?: readonly Parameter[]
  readonly requestBody?: {
    readonly $ref?: string
    readonly content: Readonly<Record<string, Content>>
  }
  readonly responses: Readonly<Record<string, Reply>>
}
interface Parameter {
  readonly name: string
  readonly in: string
  readonly schema: Schemata
  readonly required?: boolean
}
type Schemata = Readonly<Record<string, unknown>>
interface Content {
  readonly schema: Schemata
  readonly example?: unknown
}
interface Reply {
  readonly $ref?: string
  readonly headers?: object
  readonly content?: Readonly<Record<string, Content>>
  readonly links?: object
}

function read(document: unknown) {
  const { paths, components, info, servers, tags } = Object(document)
  const operations: (Operation & { readonly name: string })[] = Object.entries<
    Record<string, Operation>
  >(paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => ({
      name: `${method} ${path}`,
      ...operation,
      requestBody: components.requestBodies?.[operation.requestBody?.$ref?.split('/').at(-1) ?? ''],
    })),
  )
  const resolve = (response: Reply): Reply =>
    response.$ref === undefined
      ? response
      : components.responses[response.$ref.split('/').at(-1) ?? '']
  const get = (name: string): Operation => {
    const found = operations.find((operation) => operation.name === name)
    if (!found) throw new Error(`There is no ${name}.`)
    return found
  }
  return { operations, components, info, servers, tags, resolve, get }
}

const document = read(api.openapi)
const posts = '/api/posts'
const one = '/api/posts/{id}'

function statusesOf(name: string): number[] {
  return Object.keys(document.get(name).responses).map(Number)
}

function codesOf(name: string, status: number): unknown {
  const response = document.resolve(document.get(name).responses[status] ?? {})
  const { oneOf, ...single } = Object(response.content?.['application/problem+json']?.schema)
  return (oneOf ?? [single]).map(
    (schema: unknown) => toSchema(schema).allOf[1].properties.code.enum[0],
  )
}

function toSchema(schema: unknown) {
  const { $ref: reference } = Object(schema)
  return document.components.schemas[String(reference).split('/').at(-1) ?? '']
}

describe('the OpenAPI document carries', () => {
  it('every status an operation can emit, and no others', () => {
    // Refused before the route is known, shed, timed out, or a bug: any request can meet these.
    const always = [400, 406, 408, 417, 429, 431, 500, 503, 504]
    const ofBody = [413, 415, 422]
    const toSorted = (statuses: number[]) => statuses.toSorted((a, b) => a - b)
    expect(statusesOf(`get ${posts}`)).toEqual(toSorted([200, ...always]))
    expect(statusesOf(`post ${posts}`)).toEqual(toSorted([201, 409, ...ofBody, ...always]))
    expect(statusesOf(`get ${one}`)).toEqual(toSorted([200, 304, 404, ...always]))
    for (const method of ['put', 'patch']) {
      expect(statusesOf(`${method} ${one}`)).toEqual(
        toSorted([200, 404, 409, 412, ...ofBody, ...always]),
      )
    }
    expect(statusesOf(`delete ${one}`)).toEqual(toSorted([204, 404, 412, ...always]))
    expect(statusesOf('get /api/v1/auth/me')).toEqual(toSorted([200, 401, ...always]))
  })

  it('problem+json for every error, in one schema, with the possible codes', () => {
    for (const operation of document.operations) {
      for (const [status, response] of Object.entries(operation.responses)) {
        if (Number(status) < 400) continue
        const { content = {} } = document.resolve(response)
        expect([operation.name, Object.keys(content)]).toEqual([
          operation.name,
          ['application/problem+json'],
        ])
        const { oneOf, ...single } = Object(content['application/problem+json']?.schema)
        for (const schema of oneOf ?? [single]) {
          const [problem, own] = toSchema(schema).allOf
          expect(problem).toEqual({ $ref: '#/components/schemas/Problem' })
          expect(own.properties.status).toEqual({ type: 'integer', enum: [Number(status)] })
          expect(Object(catalogue)[own.properties.code.enum[0]].status).toBe(Number(status))
        }
      }
    }
    expect(codesOf(`post ${posts}`, 409)).toEqual(['duplicate', 'idempotency_conflict'])
    expect(codesOf(`get ${one}`, 404)).toEqual(['not_found'])
    expect(codesOf(`get ${posts}`, 400)).toEqual(['bad_request', 'invalid_query'])
    expect(document.components.schemas.Problem.properties.code.enum).toEqual(Object.keys(catalogue))
  })

  it('the error codes that the application defines', () => {
    const errors = defineErrors({ quota_exceeded: { status: 402, title: 'The quota is used up.' } })
    const route = defineRoute({
      method: 'post',
      path: '/',
      access: 'public',
      errors: [errors.quota_exceeded, 'conflict'],
      handler: (_req, res) => success(res),
    })
    const own = createApi({
      routes: createRegistry().use('/api/orders', createRouter([route])),
      environment: 'test',
      database: false,
      auth: false,
    })
    const { components, get, resolve } = read(own.openapi)
    const reply = resolve(get('post /api/orders').responses[402] ?? {})
    expect(reply.content?.['application/problem+json']?.schema).toEqual({
      $ref: '#/components/schemas/QuotaExceededProblem',
    })
    expect(components.schemas.QuotaExceededProblem.allOf[1].properties).toEqual({
      status: { type: 'integer', enum: [402] },
      code: { type: 'string', enum: ['quota_exceeded'] },
    })
    const { code } = components.schemas.Problem.properties
    expect(code.enum).toEqual([...Object.keys(catalogue), 'quota_exceeded'])
  })

  it('the envelope: data, and meta for lists', () => {
    const list = document.get(`get ${posts}`).responses[200]?.content?.['application/json']?.schema
    expect(list).toEqual({ $ref: '#/components/schemas/PostPage' })
    expect(toSchema(list)).toMatchObject({
      required: ['data', 'meta'],
      properties: { data: { type: 'array', items: { $ref: '#/components/schemas/Post' } } },
    })
    const item = document.get(`get ${one}`).responses[200]?.content?.['application/json']?.schema
    expect(item).toMatchObject({
      required: ['data'],
      properties: { data: { $ref: '#/components/schemas/Post' } },
    })
  })

  it('the headers of responses', () => {
    const headersOf = (name: string, status: number) =>
      Object.keys(document.resolve(document.get(name).responses[status] ?? {}).headers ?? {})
    const common = ['X-Request-Id', 'RateLimit', 'RateLimit-Policy']
    expect(headersOf(`post ${posts}`, 201)).toEqual([...common, 'ETag', 'Location'])
    expect(headersOf(`get ${one}`, 200)).toEqual([...common, 'ETag'])
    expect(headersOf(`get ${one}`, 304)).toEqual([...common, 'ETag'])
    expect(headersOf(`delete ${one}`, 204)).toEqual(common)
    expect(headersOf(`get ${posts}`, 429)).toEqual([...common, 'Retry-After'])
    expect(headersOf(`get ${posts}`, 503)).toEqual([...common, 'Retry-After'])
    expect(headersOf('get /api/v1/auth/me', 401)).toEqual([...common, 'WWW-Authenticate'])
    expect(headersOf(`patch ${one}`, 415)).toEqual([...common, 'Accept-Post', 'Accept-Patch'])
    // Rejected by the parser of Node, before a request is counted.
    expect(headersOf(`get ${posts}`, 431)).toEqual(['X-Request-Id'])
    for (const name of Object.keys(document.components.headers)) {
      expect(document.components.headers[name]).toMatchObject({ schema: {} })
    }
  })

  it('the headers of requests, where they count', () => {
    const headersOf = (name: string) =>
      (document.get(name).parameters ?? [])
        .filter((parameter) => parameter.in === 'header')
        .map((parameter) => parameter.name)
    expect(headersOf(`get ${posts}`)).toEqual([])
    expect(headersOf(`post ${posts}`)).toEqual(['Idempotency-Key'])
    expect(headersOf(`get ${one}`)).toEqual(['If-None-Match'])
    for (const method of ['put', 'patch', 'delete']) {
      expect(headersOf(`${method} ${one}`)).toEqual(['If-Match'])
    }
  })

  it('every parameter of a query by its own name, with type, bounds and default', () => {
    const parameters = new Map(
      document.get(`get ${posts}`).parameters?.map(({ name, schema }) => [name, schema]),
    )
    expect(parameters.get('page')).toMatchObject({ type: 'integer', minimum: 1 })
    expect(parameters.get('limit')).toMatchObject({ minimum: 1, maximum: 100, default: 20 })
    expect(parameters.get('views[gte]')).toMatchObject({ type: 'integer' })
    expect(parameters.get('title[contains]')).toMatchObject({ type: 'string', maxLength: 100 })
    expect(parameters.get('publishedAt[lt]')).toMatchObject({ format: 'date-time' })
    expect(parameters.get('status')).toMatchObject({ enum: ['draft', 'live'] })
    expect(parameters.get('sort')).toMatchObject({ pattern: expect.stringContaining('createdAt') })
  })

  it('the path id with its pattern', () => {
    expect(document.get(`get ${one}`).parameters?.[0]).toMatchObject({
      name: 'id',
      in: 'path',
      required: true,
      schema: { type: 'string', pattern: '^[0-9a-f]{24}$' },
    })
  })

  it('one media type for each body', () => {
    const typesOf = (name: string) =>
      Object.keys(document.get(name).requestBody?.content ?? {}).toSorted()
    expect(typesOf(`patch ${one}`)).toEqual(['application/merge-patch+json'])
    expect(typesOf(`put ${one}`)).toEqual(['application/json'])
    expect(typesOf(`post ${posts}`)).toEqual(['application/json'])
  })

  it('security that agrees with the access of each route', () => {
    for (const { method, path, route } of api.routes) {
      const name = `${method.toLowerCase()} ${path.replaceAll(/:(\w+)/g, '{$1}')}`
      const found = document.operations.find((operation) => operation.name === name)
      if (!found) continue
      expect([name, found.security]).toEqual([
        name,
        route.access === 'public' ? [] : [{ bearer: [] }],
      ])
    }
    expect(document.components.securitySchemes.bearer).toMatchObject({
      type: 'http',
      scheme: 'bearer',
    })
  })

  it('a unique operationId for each operation, which stays', () => {
    const ids = document.operations.map(({ operationId }) => operationId)
    expect(new Set(ids).size).toBe(ids.length)
    expect(ids.filter((id) => id.includes('Post'))).toEqual([
      'listPosts',
      'createPost',
      'getPost',
      'replacePost',
      'updatePost',
      'deletePost',
    ])
  })

  it('names for bodies, pages, their meta and errors', () => {
    const schemas = Object.keys(document.components.schemas)
    expect(schemas).toEqual(
      expect.arrayContaining([
        'Post',
        'PostPage',
        'ListMeta',
        'PageMeta',
        'OffsetMeta',
        'CursorMeta',
        'DuplicateProblem',
      ]),
    )
    const bodies = Object.keys(document.components.requestBodies)
    expect(bodies).toEqual(
      expect.arrayContaining(['LoginBody', 'CreatePost', 'ReplacePost', 'UpdatePost']),
    )
    const names = [...schemas, ...bodies, ...Object.keys(document.components.responses)]
    expect(names.filter((name) => /\d$/.test(name))).toEqual([])
    expect(document.components.schemas.ListMeta.anyOf).toEqual([
      { $ref: '#/components/schemas/PageMeta' },
      { $ref: '#/components/schemas/OffsetMeta' },
      { $ref: '#/components/schemas/CursorMeta' },
    ])
  })

  it('a description of every operation, and a type beside every const', () => {
    for (const { name, description } of document.operations) {
      expect([name, description]).toEqual([name, expect.stringMatching(/\w.*\.$/)])
    }
    JSON.stringify(api.openapi, (key, value: unknown) => {
      if (key !== 'example' && Object(value).const !== undefined) {
        expect(value).toHaveProperty('type')
      }
      return value
    })
  })

  it('closed requests and open responses', () => {
    const body = document.get(`post ${posts}`).requestBody?.content['application/json']?.schema
    expect(body).toMatchObject({ type: 'object', additionalProperties: false })
    expect(document.components.schemas.Post).not.toHaveProperty('additionalProperties')
  })

  it('links through the life of a document', () => {
    const links = (name: string, status: number) =>
      Object.keys(document.get(name).responses[status]?.links ?? {})
    expect(links(`post ${posts}`, 201)).toEqual([
      'getPost',
      'replacePost',
      'updatePost',
      'deletePost',
    ])
    expect(links(`delete ${one}`, 204)).toEqual(['getPost'])
  })

  it('version, servers, tags, licence and examples', () => {
    expect(document.info).toMatchObject({ title: 'golden', version: '1.0.0' })
    expect(document.info.license).toEqual({
      name: 'Proprietary',
      identifier: 'LicenseRef-Proprietary',
    })
    expect(document.servers).toEqual([{ url: '/' }])
    expect(document.tags.map(({ name }: { name: string }) => name)).toContain('posts')
    expect(document.get(`get ${posts}`).tags).toEqual(['posts'])
    const content = document.get(`post ${posts}`).requestBody?.content['application/json']
    expect(content?.example).toMatchObject({ status: 'draft' })
  })

  it('nothing of OpenAPI 3.0, nothing dangling, nothing empty', () => {
    const text = JSON.stringify(api.openapi)
    expect(text).not.toContain('"nullable"')
    for (const [, reference = ''] of text.matchAll(/"\$ref":"#\/([^"]+)"/g)) {
      const target = reference.split('/').reduce<unknown>((at, key) => Object(at)[key], api.openapi)
      expect([reference, typeof target]).toEqual([reference, 'object'])
      expect(Object.keys(Object(target))).not.toEqual(['$ref'])
    }
    for (const { name, parameters = [], responses } of document.operations) {
      const declared = parameters
        .filter((parameter) => parameter.in === 'path')
        .map((parameter) => `{${parameter.name}}`)
      expect([name, name.match(/\{\w+\}/g) ?? []]).toEqual([name, declared])
      expect(Object.keys(responses)).not.toEqual([])
    }
  })

  it('lengths in characters, as the service counts them', () => {
    const { title } = document.components.schemas.Post.properties
    expect(title).toMatchObject({ maxLength: 200 })
    const text = z.string().max(4)
    // Each of these is two UTF-16 code units.
    expect(text.safeParse('\u{1F600}'.repeat(4)).success).toBe(true)
    expect(text.safeParse('\u{1F600}'.repeat(5)).success).toBe(false)
  })
})

describe('the OpenAPI document of a separate API', () => {
  const createThing = z.strictObject({ name: z.string() })
  const thing = toOutputSchema(createThing)
  model('DocumentedThing', new Schema({ name: String }))

  it('has deprecations, roles, licence, servers and version', () => {
    const handler = (): void => {}
    const things = createRouter([
      defineRoute({
        method: 'get',
        path: '/:id',
        access: 'admin',
        params,
        response: thing,
        deprecated: true,
        handler,
      }),
    ])
    const own = createApi({
      name: 'things',
      routes: createRegistry().use('/api/things', things),
      openapi: {
        title: 'Things',
        version: '2.1.0',
        description: 'All things.',
        license: { name: 'MIT', identifier: 'MIT' },
        servers: ['https://api.example.org'],
      },
    })
    expect(own.openapi).toMatchObject({
      openapi: '3.1.0',
      info: {
        title: 'Things',
        version: '2.1.0',
        description: 'All things.',
        license: { name: 'MIT', identifier: 'MIT' },
      },
      servers: [{ url: 'https://api.example.org' }],
      paths: {
        '/api/things/{id}': {
          get: { deprecated: true, security: [{ bearer: ['admin'] }], responses: { 403: {} } },
        },
      },
    })
  })
})
