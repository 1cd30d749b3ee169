import { createClient } from '../generated/hey-api/client/index.ts'
import {
  getPost,
  listPosts,
  login,
  refreshToken,
  updatePost,
} from '../generated/hey-api/sdk.gen.ts'
import type { Page } from '../page.ts'

export function createPage(baseUrl: string): Page {
  let tokens = { accessToken: '', refreshToken: '' }
  let refreshing: Promise<boolean> | undefined
  const plain = createClient({ baseUrl })
  const client = createClient({ baseUrl, auth: () => tokens.accessToken, fetch: send })
  async function send(input: RequestInfo | URL, init?: RequestInit): Promise<Response> {
    const request = new Request(input, init)
    const response = await fetch(request.clone())
    if (response.status !== 401) return response
    refreshing ??= refresh().finally(() => (refreshing = undefined))
    if (!(await refreshing)) return response
    request.headers.set('authorization', `Bearer ${tokens.accessToken}`)
    return fetch(request)
  }
  async function refresh(): Promise<boolean> {
    const body = { refreshToken: tokens.refreshToken }
    const { data } = await refreshToken({ client: plain, body })
    if (data) tokens = data.data
    return data !== undefined
  }
  let opened = { id: '', etag: '' }
  return {
    async logIn(email, password) {
      const body = { email, password }
      const { data } = await login({ client: plain, body, throwOnError: true })
      tokens = data.data
    },
    async *list() {
      for (let cursor: string | undefined = ''; cursor !== undefined;) {
        const query: { sort: string; limit: number; cursor: string } = {
          sort: 'title',
          limit: 10,
          cursor,
        }
        const { data } = await listPosts({ client, query, throwOnError: true })
        yield data.data.map(({ title = '' }) => title)
        cursor = 'nextCursor' in data.meta ? data.meta.nextCursor : undefined
      }
    },
    async open(id) {
      const { data, response } = await getPost({ client, path: { id }, throwOnError: true })
      opened = { id, etag: response.headers.get('etag') ?? '' }
      return data.data.title ?? ''
    },
    async save(title) {
      const { error } = await updatePost({
        client,
        path: { id: opened.id },
        headers: { 'If-Match': opened.etag },
        body: { title },
      })
      if (error?.code === 'precondition_failed') return this.open(opened.id)
      if (error) throw new Error(error.detail)
      return undefined
    },
  }
}
