import createClient from 'openapi-fetch'
import type { paths } from '../generated/openapi-fetch/schema.ts'
import type { Page } from '../page.ts'

export function createPage(baseUrl: string): Page {
  const client = createClient<paths>({ baseUrl })
  let tokens = { accessToken: '', refreshToken: '' }
  let refreshing: Promise<boolean> | undefined
  const copies = new WeakMap<Request, Request>()
  client.use({
    onRequest({ request, schemaPath }) {
      if (schemaPath.startsWith('/api/v1/auth')) return
      request.headers.set('authorization', `Bearer ${tokens.accessToken}`)
      copies.set(request, request.clone())
    },
    async onResponse({ request, response }) {
      const copy = copies.get(request)
      if (response.status !== 401 || !copy) return undefined
      refreshing ??= refresh().finally(() => (refreshing = undefined))
      if (!(await refreshing)) return undefined
      copy.headers.set('authorization', `Bearer ${tokens.accessToken}`)
      return fetch(copy)
    },
  })
  async function refresh(): Promise<boolean> {
    const { refreshToken } = tokens
    const { data } = await client.POST('/api/v1/auth/refresh-token', { body: { refreshToken } })
    keep(data)
    return data !== undefined
  }
  function keep(body?: { data: { accessToken: string; refreshToken?: string } }): void {
    if (body) tokens = { refreshToken: '', ...body.data }
  }
  let opened = { id: '', etag: '' }
  return {
    async logIn(email, password) {
      const { data, error } = await client.POST('/api/v1/auth/login', { body: { email, password } })
      if (error) throw new Error(error.detail)
      keep(data)
    },
    async *list() {
      for (let cursor: string | undefined = ''; cursor !== undefined;) {
        const query: { sort: string; limit: number; cursor: string } = {
          sort: 'title',
          limit: 10,
          cursor,
        }
        const { data, error } = await client.GET('/api/posts', { params: { query } })
        if (error) throw new Error(error.detail)
        yield data.data.map(({ title = '' }) => title)
        cursor = 'nextCursor' in data.meta ? data.meta.nextCursor : undefined
      }
    },
    async open(id) {
      const { data, error, response } = await client.GET('/api/posts/{id}', {
        params: { path: { id } },
      })
      if (error) throw new Error(error.detail)
      opened = { id, etag: response.headers.get('etag') ?? '' }
      return data.data.title ?? ''
    },
    async save(title) {
      const { error } = await client.PATCH('/api/posts/{id}', {
        params: { path: { id: opened.id }, header: { 'If-Match': opened.etag } },
        body: { title },
      })
      if (error?.code === 'precondition_failed') return this.open(opened.id)
      if (error) throw new Error(error.detail)
      return undefined
    },
  }
}
