import { createTestClient, type TestClient, type TestUser } from '@create-api/core/testing'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { mcp } from '../src/index.ts'
import { connect } from './connect.ts'
import { allTools, createLibrary } from './library.ts'

interface Item {
  readonly id: string
  readonly title: string
}
interface Page {
  readonly data: readonly Item[]
  readonly meta: { readonly limit: number; readonly nextCursor?: string }
}
interface One {
  readonly data: Item & Record<string, unknown>
  readonly etag: string
}

let service: TestClient
let librarian: TestUser

beforeAll(async () => {
  const api = createLibrary()
  mcp(api, { tools: allTools, maxItems: 150 })
  service = await createTestClient(api)
  librarian = await service.signUp({ roles: ['admin'] })
})

afterAll(() => service.stop())

const isbn = (number: number): string => String(9_780_000_000_000 + number)

describe('the tools of an API over streamable HTTP', () => {
  it('are the chosen operations, with schemas and annotations', async () => {
    const { client } = await connect(service.url, librarian.headers)
    const { tools } = await client.listTools()
    expect(tools.map(({ name }) => name)).toMatchSnapshot('names')
    const byName = new Map(tools.map((tool) => [tool.name, tool]))
    expect(byName.get('books_list')).toMatchSnapshot('a list')
    expect(byName.get('books_update')).toMatchSnapshot('a change')
    expect(byName.get('books_create')?.annotations).toMatchObject({
      readOnlyHint: false,
      destructiveHint: false,
      idempotentHint: false,
    })
    expect(byName.get('books_delete')?.annotations).toMatchObject({
      destructiveHint: true,
      idempotentHint: true,
    })
    expect(client.getServerVersion()).toMatchObject({ name: 'library', version: '1.0.0' })
  })

  it('read and write documents with their versions', async () => {
    const { fail, run } = await connect(service.url, librarian.headers)
    const book = { title: 'Emma', isbn: isbn(1), copies: 2 }
    const created = await run<One>('books_create', { body: book })
    expect(created.data).toMatchObject(book)
    const { id } = created.data
    expect(await run<One>('books_get', { id })).toEqual(created)

    const changed = await run<One>('books_update', {
      id,
      ifMatch: created.etag,
      body: { copies: 3 },
    })
    expect(changed.data['copies']).toBe(3)
    expect(changed.etag).not.toBe(created.etag)
    const outdated = await fail('books_update', { id, ifMatch: created.etag, body: { copies: 4 } })
    expect(outdated).toMatchObject({ status: 412, code: 'precondition_failed' })

    expect(await run('books_delete', { id })).toEqual({ status: 204 })
    expect(await fail('books_get', { id })).toMatchObject({ status: 404, code: 'not_found' })
  })

  it('return the fields that are asked for, as their output schemas describe them', async () => {
    const { run } = await connect(service.url, librarian.headers)
    const body = { title: 'Viewed', isbn: isbn(50), copies: 1 }
    const { id } = (await run<One>('books_create', { body })).data
    const part = { id, title: 'Viewed' }
    expect(await run('catalogue_get', { id, fields: 'title' })).toEqual({ data: part })
    expect(await run('catalogue_get', { id })).toMatchObject({
      data: body,
      etag: expect.any(String),
    })
    const { data } = await run<Page>('catalogue_list', { title: 'Viewed', fields: 'title' })
    expect(data).toEqual([part])
  })

  it('report invalid values as the problem of the operation', async () => {
    const { fail } = await connect(service.url, librarian.headers)
    const problem = await fail('books_create', { body: { title: '', isbn: 'x', copies: 1 } })
    expect(problem).toMatchObject({ status: 422, code: 'validation_failed' })
    expect(problem.errors?.map(({ pointer }) => pointer)).toEqual(['#/title', '#/isbn'])
    expect(await fail('books_list', { copies_gte: 'many' })).toMatchObject({
      code: 'invalid_query',
    })
    expect(await fail('books_list', { limit: 'all' })).toMatchObject({ code: 'invalid_query' })
    expect(await fail('books_list', { limit: 0 })).toMatchObject({ code: 'invalid_query' })
  })

  it.each([
    ['books_list', { color: 'red' }, "The tool has no argument 'color'."],
    ['books_list', { limit: 151 }, "The argument 'limit' is at most 150."],
    ['books_get', {}, "The argument 'id' is missing."],
    ['books_get', { id: '' }, "The argument 'id' is not a value of a path."],
    ['books_get', { id: '..' }, "The argument 'id' is not a value of a path."],
    ['books_get', { id: '\uD800' }, undefined],
    ['books_update', { id: 'x', ifMatch: 'a\r\nX-Admin: 1', body: {} }, "The argument 'ifMatch'"],
  ])('%s with %j is not sent', async (name, values, detail) => {
    const { client, fail } = await connect(service.url, librarian.headers)
    // A text that is not UTF-8 is refused before the message is read.
    if (detail === undefined) {
      await expect(client.callTool({ name, arguments: values })).rejects.toThrow('422')
    } else {
      const problem = await fail(name, values)
      expect(problem).toMatchObject({ status: 400, code: 'invalid_arguments' })
      expect(problem.detail).toContain(detail)
    }
  })

  it('encode what is in a path', async () => {
    const { run } = await connect(service.url, librarian.headers)
    for (const name of ['../books', 'a/b?c=d#e', 'ä %2F', '…']) {
      expect(await run('constructor_get', { name })).toEqual({ data: { name } })
    }
  })

  it('join the pages of a list up to the limit', async () => {
    const { run } = await connect(service.url, librarian.headers)
    const body = { copies: 1, title: 'Paged' }
    await Promise.all(
      Array.from({ length: 230 }, (_, at) =>
        run('books_create', { body: { ...body, isbn: isbn(100 + at) } }),
      ),
    )
    const first = await run<Page>('books_list', { title: 'Paged', limit: 150 })
    expect(first.data).toHaveLength(150)
    expect(first.meta.limit).toBe(150)
    const { nextCursor: cursor } = first.meta
    const second = await run<Page>('books_list', { title: 'Paged', limit: 150, cursor })
    expect(second.data).toHaveLength(80)
    expect(second.meta).not.toHaveProperty('nextCursor')
    expect(new Set([...first.data, ...second.data].map(({ id }) => id)).size).toBe(230)
    expect((await run<Page>('books_list', { title: 'Paged' })).data).toHaveLength(20)
  })

  it('apply the access of each operation', async () => {
    const { headers } = await service.signUp()
    const reader = await connect(service.url, headers)
    expect(await reader.fail('members_list')).toMatchObject({ status: 403, code: 'forbidden' })
    const body = { title: 'No', isbn: isbn(2), copies: 1 }
    expect(await reader.fail('books_create', { body })).toMatchObject({ status: 403 })

    const note = await reader.run<One>('notes_create', { body: { text: 'mine' } })
    const other = await connect(service.url, librarian.headers)
    const { id } = note.data
    expect(await other.fail('notes_get', { id })).toMatchObject({ status: 404 })
    expect(await other.fail('notes_delete', { id })).toMatchObject({ status: 404 })
    expect((await other.run<Page>('notes_list')).data).toEqual([])
    expect((await reader.run<Page>('notes_list')).data).toHaveLength(1)
  })

  it('accept API keys within their scopes', async () => {
    const key = await service.createKey(librarian, ['admin'])
    const whole = await connect(service.url, key.headers)
    expect((await whole.run<Page>('members_list')).data).toEqual([])
    const narrow = await connect(
      service.url,
      (await service.createKey(librarian, ['user'])).headers,
    )
    expect(await narrow.fail('members_list')).toMatchObject({ status: 403 })
    expect((await narrow.run<Page>('books_list', { limit: 1 })).data).toHaveLength(1)
  })

  it('act for the organization of the connection', async () => {
    const { headers } = await service.signUp()
    const { body } = await service.request.post('/api/orgs').set(headers).send({ name: 'Acme' })
    const inside = { ...headers, 'X-Organization': String(body.data.id) }
    const minutes = await connect(service.url, inside)
    const { data } = await minutes.run<One>('minutes_create', { body: { text: 'All agreed.' } })
    expect(await minutes.run('minutes_get', { id: data.id })).toMatchObject({ data })
    const stranger = await connect(service.url, { ...inside, ...librarian.headers })
    expect(await stranger.fail('minutes_get', { id: data.id })).toMatchObject({ status: 404 })
    const nowhere = await connect(service.url, headers)
    expect((await nowhere.fail('minutes_list')).status).toBeGreaterThanOrEqual(400)
  })

  it('repeat nothing with an idempotency key', async () => {
    const { fail, run } = await connect(service.url, librarian.headers)
    const values = { idempotencyKey: 'once', body: { title: 'Once', isbn: isbn(3), copies: 1 } }
    const first = await run<One>('books_create', values)
    expect((await run<One>('books_create', values)).data.id).toBe(first.data.id)
    const body = { ...values.body, title: 'Twice' }
    expect(await fail('books_create', { ...values, body })).toMatchObject({
      code: 'idempotency_key_reused',
    })
  })

  it('pass the client and the request id on, and no cookie', async () => {
    const headers = { ...librarian.headers, 'X-Request-Id': 'trace-1', Cookie: 'session=1' }
    const { run } = await connect(service.url, headers)
    const { data } = await run<{ data: object }>('whoami_get')
    expect(data).toEqual({
      address: expect.stringMatching(/127\.0\.0\.1$/),
      requestId: 'trace-1',
      encrypted: false,
    })
  })
})
