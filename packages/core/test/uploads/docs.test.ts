import { EventEmitter, once } from 'node:events'
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { text as readAll } from 'node:stream/consumers'
import { type Api, createApi, createRegistry } from '@create-api/core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createPictures } from './examples/avatar.ts'
import { createDocuments } from './examples/object-store.ts'
import { createPrices, type PriceSource } from './examples/streams.ts'

const docs = path.join(import.meta.dirname, '../../../../docs')
const page = await readFile(path.join(docs, 'uploads-and-streams.md'), 'utf8')
const examples = path.join(import.meta.dirname, 'examples')
const names = await readdir(examples)
const stored = new Map<string, string>()
const changes: PriceSource['changes'] = new EventEmitter()
const ada = { symbol: 'ADA', amount: 1 }
let api: Api
let url: string
let folder: string

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'pictures-'))
  const routes = createRegistry()
    .use('/api/pictures', createPictures(folder))
    .use(
      '/api/documents',
      createDocuments({
        put: async (key, content) => stored.set(key, await readAll(content)),
        remove: async (key) => stored.delete(key),
      }),
    )
    .use(
      '/api/prices',
      createPrices({
        changes,
        async *all() {
          yield ada
        },
        async *since(id) {
          yield { id: `${id}1`, symbol: 'OLD', amount: 2 }
        },
      }),
    )
  api = createApi({ routes, environment: 'test', auth: false, database: false })
  ;({ url } = await api.start({ port: 0, signals: false }))
})

afterAll(async () => {
  await api.stop()
  await rm(folder, { recursive: true })
})

describe('docs/uploads-and-streams.md', () => {
  it.each(names)('shows %s as these tests run it', async (name) => {
    const example = await readFile(path.join(examples, name), 'utf8')
    expect(page).toContain(`\`\`\`ts\n${example}\`\`\``)
  })

  it('names files that exist', async () => {
    const links = [...page.matchAll(/\]\(((?!http)[^)#]+)/g)]
    expect(links.length).toBeGreaterThan(0)
    for (const [, link = ''] of links) {
      await expect(readFile(path.join(docs, link), 'utf8')).resolves.not.toBe('')
    }
  })

  it('shows how to keep an uploaded picture', async () => {
    const form = new FormData()
    form.set('caption', 'Ada')
    const png = Buffer.from('\x89PNG\r\n\x1a\n....', 'latin1')
    form.set('picture', new File([png], 'me.png', { type: 'image/png' }))
    const response = await fetch(`${url}/api/pictures`, { method: 'POST', body: form })
    expect(response.status).toBe(201)
    const { data } = (await response.json()) as { data: { file: string } }
    expect(data).toMatchObject({ caption: 'Ada', size: 12 })
    expect(await readFile(path.join(folder, data.file))).toEqual(png)
  })

  it('shows how to upload to an object store', async () => {
    const form = new FormData()
    form.append('pages', new File(['one'], '1.pdf', { type: 'application/pdf' }))
    form.append('pages', new File(['two'], '2.pdf', { type: 'application/pdf' }))
    const good = await fetch(`${url}/api/documents`, { method: 'POST', body: form })
    const { data } = (await good.json()) as { data: { key: string }[] }
    expect(data.map(({ key }) => stored.get(key))).toEqual(['one', 'two'])
    form.append('other', 'text')
    const bad = await fetch(`${url}/api/documents`, { method: 'POST', body: form })
    expect([bad.status, stored.size]).toEqual([422, 2])
  })

  it('shows how to export and to follow prices', async () => {
    const csv = await fetch(`${url}/api/prices/export`)
    expect(await csv.text()).toBe('symbol,amount\nADA,1\n')
    const expected = { events: 'id: 71\ndata: {"symbol":"OLD","amount":2}\n\n', broadcast: '' }
    for (const [name, before] of Object.entries(expected)) {
      const headers = { 'Last-Event-ID': '7' }
      const { body } = await fetch(`${url}/api/prices/${name}`, { headers })
      const reader = body?.getReader()
      const read = async (): Promise<string> =>
        Buffer.from((await reader?.read())?.value ?? []).toString()
      if (before !== '') expect(await read()).toBe(before)
      await expect.poll(() => changes.listenerCount('price')).toBe(name === 'events' ? 2 : 1)
      changes.emit('price', { id: '8', ...ada })
      expect(await read()).toContain('data: {"symbol":"ADA","amount":1}\n\n')
      const gone = name === 'events' ? once(changes, 'removeListener') : undefined
      await reader?.cancel()
      await gone
    }
  })
})
