import { createTestClient, type TestClient } from '@create-api/core/testing'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { mcp } from '../src/index.ts'
import { connect, type Connected } from './connect.ts'
import { allTools, createLibrary } from './library.ts'

// Tasks that a program does through tools only. Each begins with names, as a person would state them.

interface Document {
  readonly id: string
  readonly name: string
  readonly title: string
  readonly book: string
  readonly member: string
  readonly copies: number
}
interface Page {
  readonly data: readonly Document[]
  readonly meta: { readonly nextCursor?: string }
}
interface One {
  readonly data: Document & Readonly<Record<string, unknown>>
  readonly etag: string
}

const now = '2026-11-26T12:00:00.000Z'
const day = (number: number): string => `2026-11-${String(number).padStart(2, '0')}T12:00:00.000Z`

let service: TestClient
let librarian: Awaited<ReturnType<TestClient['signUp']>>

beforeAll(async () => {
  const api = createLibrary()
  mcp(api, { tools: allTools })
  service = await createTestClient(api)
  librarian = await service.signUp({ roles: ['admin'] })
  const create = async (path: string, body: object): Promise<string> => {
    const sent = service.request.post(`/api/${path}`).set(librarian.headers).send(body)
    return String((await sent.expect(201)).body.data.id)
  }
  const austen = await create('authors', { name: 'Jane Austen' })
  const eliot = await create('authors', { name: 'George Eliot' })
  const titles = [
    ['Emma', austen],
    ['Persuasion', austen],
    ['Middlemarch', eliot],
    ['Adam Bede', eliot],
  ] as const
  const books = await Promise.all(
    titles.map(([title, author], at) =>
      create('books', { title, author, isbn: String(9_780_000_000_000 + at), copies: at + 1 }),
    ),
  )
  const ada = await create('members', { name: 'Ada', email: 'ada@example.org' })
  const bob = await create('members', { name: 'Bob', email: 'bob@example.org' })
  const loans = [
    [books[0], ada, day(1)],
    [books[1], ada, day(20)],
    [books[2], ada, day(30)],
    [books[0], bob, day(2)],
  ]
  for (const [book, member, dueAt] of loans) await create('loans', { book, member, dueAt })
})

afterAll(() => service.stop())

const asLibrarian = (): Promise<Connected> => connect(service.url, librarian.headers)

async function findMember({ run }: Connected, name: string): Promise<string> {
  const { data } = await run<Page>('members_list', { name })
  return data[0]?.id ?? ''
}

async function findBook({ run }: Connected, title: string): Promise<Document> {
  const { data } = await run<Page>('books_list', { title })
  const [book] = data
  if (!book) throw new Error(`There is no book '${title}'.`)
  return book
}

describe('a program with tools', () => {
  it('finds the overdue loans of a member and returns them', async () => {
    const connected = await asLibrarian()
    const { run } = connected
    const member = await findMember(connected, 'Ada')
    const overdue = { member, dueAt_lt: now, returned: false }
    const { data } = await run<Page>('loans_list', overdue)
    expect(data).toHaveLength(2)
    for (const { id } of data) {
      expect((await run<One>('loans_return', { id })).data['returned']).toBe(true)
    }
    expect((await run<Page>('loans_list', overdue)).data).toEqual([])
    const { body } = await service.request
      .get(`/api/loans?member=${member}&returned=true`)
      .set(librarian.headers)
    expect(body.meta.total).toBe(2)
  })

  it('names the member who has a book and no other loan', async () => {
    const connected = await asLibrarian()
    const { run } = connected
    const { id: book } = await findBook(connected, 'Emma')
    const { data } = await run<Page>('loans_list', { book, returned: false })
    const names: string[] = []
    for (const { member } of data) {
      const all = await run<Page>('loans_list', { member, returned: false })
      if (all.data.length === 1) {
        names.push((await run<One>('members_get', { id: member })).data.name)
      }
    }
    expect(names).toEqual(['Bob'])
  })

  it('lists the books of an author in the order of their titles', async () => {
    const { run } = await asLibrarian()
    const [author] = (await run<Page>('authors_list', { name: 'George Eliot' })).data
    const { data } = await run<Page>('books_list', { author: author?.id, sort: 'title' })
    expect(data.map(({ title }) => title)).toEqual(['Adam Bede', 'Middlemarch'])
  })

  it('adds an author with a book', async () => {
    const { run } = await asLibrarian()
    const { data: author } = await run<One>('authors_create', { body: { name: 'Mary Shelley' } })
    const book = { title: 'Frankenstein', isbn: '9780000000100', copies: 1, author: author.id }
    await run('books_create', { body: book })
    const { data } = await run<Page>('books_list', { author: author.id })
    expect(data).toEqual([expect.objectContaining(book)])
  })

  it('corrects a value from the problem and tries again', async () => {
    const { fail, run } = await asLibrarian()
    const book: Record<string, unknown> = {
      title: 'Villette',
      isbn: '978-0-00-000020-0',
      copies: '2',
    }
    const problem = await fail('books_create', { body: book })
    const wrong = problem.errors?.map(({ pointer }) => pointer.slice(2)) ?? []
    expect(wrong).toEqual(['isbn', 'copies'])
    const corrected = { ...book, isbn: '9780000000200', copies: 2 }
    expect((await run<One>('books_create', { body: corrected })).data.title).toBe('Villette')
  })

  it('adds a copy although someone else changes the book meanwhile', async () => {
    const connected = await asLibrarian()
    const { fail, run } = connected
    const { id } = await findBook(connected, 'Persuasion')
    const read = await run<One>('books_get', { id })
    await service.request.patch(`/api/books/${id}`).set(librarian.headers).send({ copies: 7 })
    const change = { id, ifMatch: read.etag, body: { copies: read.data.copies + 1 } }
    expect(await fail('books_update', change)).toMatchObject({ code: 'precondition_failed' })
    const again = await run<One>('books_get', { id })
    const body = { copies: again.data.copies + 1 }
    const { data } = await run<One>('books_update', { id, ifMatch: again.etag, body })
    expect(data.copies).toBe(8)
  })

  it('counts the members in a list that is longer than a page', async () => {
    const { run } = await asLibrarian()
    for (let at = 0; at < 230; at++) {
      await run('members_create', { body: { name: 'Reader', email: `reader${at}@example.org` } })
    }
    const ids = new Set<string>()
    let cursor: string | undefined
    let calls = 0
    do {
      const { data, meta } = await run<Page>('members_list', { name: 'Reader', limit: 200, cursor })
      for (const { id } of data) ids.add(id)
      cursor = meta.nextCursor
      calls++
    } while (cursor !== undefined)
    expect([ids.size, calls]).toEqual([230, 2])
  })

  it('extends a loan by a week', async () => {
    const connected = await asLibrarian()
    const { run } = connected
    const [member, book] = [
      await findMember(connected, 'Ada'),
      await findBook(connected, 'Middlemarch'),
    ]
    const [loan] = (await run<Page>('loans_list', { member, book: book.id })).data
    const dueAt = '2026-12-07T12:00:00.000Z'
    const { data } = await run<One>('loans_update', { id: loan?.id, body: { dueAt } })
    expect(data['dueAt']).toBe(dueAt)
  })

  it('deletes the duplicates of an author and keeps the first', async () => {
    const { run } = await asLibrarian()
    for (let count = 0; count < 3; count++) {
      await run('authors_create', { body: { name: 'Anne Brontë' } })
    }
    const { data } = await run<Page>('authors_list', { name: 'Anne Brontë' })
    for (const { id } of data.slice(1)) await run('authors_delete', { id })
    expect((await run<Page>('authors_list', { name: 'Anne Brontë' })).data).toEqual([data[0]])
  })

  it('keeps notes that only its owner can read, with a key of few scopes', async () => {
    const reader = await service.signUp()
    const { headers } = await service.createKey(reader, ['user'])
    const { fail, run } = await connect(service.url, headers)
    const { data } = await run<One>('notes_create', { body: { text: 'Renew the card.' } })
    await run('notes_replace', { id: data.id, body: { text: 'Renewed.' } })
    expect((await run<Page>('notes_list')).data).toEqual([
      expect.objectContaining({ text: 'Renewed.' }),
    ])
    expect(await fail('loans_list')).toMatchObject({ status: 403 })
    const other = await asLibrarian()
    expect(await other.fail('notes_get', { id: data.id })).toMatchObject({ status: 404 })
  })
})
