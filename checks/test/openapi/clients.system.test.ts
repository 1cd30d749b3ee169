import { createClient } from '@hey-api/openapi-ts'
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import openapiTypescript, { astToString } from 'openapi-typescript'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createTestClient, type TestClient } from '../../../packages/core/src/testing.ts'
import { api } from '../../../packages/core/test/golden/rich/app.js'
import { findTypeErrors } from './type-errors.ts'

// What a front end would write: no cast, no annotation, everything typed by the document.
const openapiFetchProgram = `
import createClient from 'openapi-fetch'
import { type paths } from './schema.ts'

export async function run(baseUrl: string, author: string) {
  const client = createClient<paths>({ baseUrl })
  const created = await client.POST('/api/posts', {
    body: { title: 'Hello', slug: 'openapi-fetch', status: 'draft', author },
  })
  if (created.error) throw new Error(created.error.title)
  const { id } = created.data.data
  const listed = await client.GET('/api/posts', {
    params: { query: { 'title[contains]': 'hell', sort: '-createdAt,title', limit: 5 } },
  })
  const missing = await client.GET('/api/posts/{id}', { params: { path: { id: 'nope' } } })
  const code: 'not_found' | undefined = missing.response.status === 404 ? 'not_found' : undefined
  const removed = await client.DELETE('/api/posts/{id}', {
    params: { path: { id }, header: { 'If-Match': '"0"' } },
  })
  return {
    title: created.data.data.title.toUpperCase(),
    count: listed.data?.data.length,
    missing: [missing.error?.code, code],
    removed: removed.response.status,
  }
}
`

const heyApiProgram = `
import { client } from './hey/client.gen.ts'
import { createPost, deletePost, getPost, listPosts, updatePost } from './hey/sdk.gen.ts'

export async function run(baseUrl: string, author: string) {
  client.setConfig({ baseUrl })
  const created = await createPost({
    body: { title: 'Hello', slug: 'hey-api', status: 'live', author, tags: ['a'] },
    throwOnError: true,
  })
  const { id } = created.data.data
  const listed = await listPosts({ query: { 'slug': 'hey-api', limit: 5 }, throwOnError: true })
  const patched = await updatePost({ path: { id }, body: { summary: null, views: 3 } })
  const missing = await getPost({ path: { id: 'nope' } })
  const removed = await deletePost({ path: { id }, headers: { 'If-Match': '"1"' } })
  return {
    tags: created.data.data.tags.join(),
    count: listed.data.data.length,
    views: patched.data?.data.views,
    missing: missing.error?.code,
    removed: removed.response?.status,
  }
}
`

let folder: string
let client: TestClient
let author: string

beforeAll(async () => {
  client = await createTestClient(api)
  author = (await client.signUp()).user.id
  folder = await mkdtemp(path.join(tmpdir(), 'clients-'))
  await symlink(path.resolve('checks/node_modules'), path.join(folder, 'node_modules'))
  await writeFile(path.join(folder, 'package.json'), '{"type":"module"}')
})

afterAll(async () => {
  await client.stop()
  await rm(folder, { recursive: true, force: true })
})

async function fetchDocument() {
  const { body } = await client.request.get('/openapi.json').expect(200)
  return body
}

async function writeProgram(name: string, code: string) {
  const file = path.join(folder, name)
  await writeFile(file, code)
  return file
}

describe('clients generated from the OpenAPI document', () => {
  it('openapi-typescript: type-checks under strict and talks to the service', async () => {
    const types = astToString(await openapiTypescript(await fetchDocument()))
    await writeFile(path.join(folder, 'schema.ts'), types)
    const file = await writeProgram('fetch.ts', openapiFetchProgram)
    expect(findTypeErrors(file)).toEqual([])
    const { run } = await import(/* @vite-ignore */ file)
    expect(await run(client.url, author)).toEqual({
      title: 'HELLO',
      count: 1,
      missing: ['not_found', 'not_found'],
      removed: 204,
    })
  })

  it('openapi-typescript: rejects what the document forbids', async () => {
    const types = astToString(await openapiTypescript(await fetchDocument()))
    await writeFile(path.join(folder, 'schema.ts'), types)
    const wrong = openapiFetchProgram.replace("status: 'draft'", "status: 'nope'")
    expect(findTypeErrors(await writeProgram('wrong.ts', wrong)).join()).toContain('nope')
  })

  it('hey-api: type-checks under strict and talks to the service', async () => {
    const output = path.join(folder, 'hey')
    await mkdir(output)
    await createClient({
      input: await fetchDocument(),
      output: { path: output, module: { extension: '.ts' } },
      plugins: ['@hey-api/client-fetch', '@hey-api/typescript', '@hey-api/sdk'],
      logs: { level: 'silent' },
    })
    const file = await writeProgram('hey.ts', heyApiProgram)
    expect(findTypeErrors(file)).toEqual([])
    const { run } = await import(/* @vite-ignore */ file)
    expect(await run(client.url, author)).toEqual({
      tags: 'a',
      count: 1,
      views: 3,
      missing: 'not_found',
      removed: 204,
    })
  })
})
