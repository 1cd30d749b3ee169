import { getPost, listPosts, login, refreshToken, updatePost } from '../generated/orval/api.ts'
import { session } from './orval-send.ts'
import type { Page } from '../page.ts'

export function createPage(url: string): Page {
  session.url = url
  session.refresh = async () => {
    const { data, status } = await refreshToken({ refreshToken: session.refreshToken })
    if (status === 200) Object.assign(session, data.data)
    return status === 200
  }
  let opened = { id: '', etag: '' }
  return {
    async logIn(email, password) {
      const { data, status } = await login({ email, password })
      if (status !== 200) throw new Error(data.detail)
      Object.assign(session, data.data)
    },
    async *list() {
      for (let cursor: string | undefined = ''; cursor !== undefined;) {
        const page: Awaited<ReturnType<typeof listPosts>> = await listPosts({
          sort: 'title',
          limit: 10,
          cursor,
        })
        if (page.status !== 200) throw new Error(page.data.detail)
        yield page.data.data.map(({ title = '' }) => title)
        const { meta } = page.data
        cursor = 'nextCursor' in meta ? meta.nextCursor : undefined
      }
    },
    async open(id) {
      const { data, headers, status } = await getPost(id)
      if (status !== 200) throw new Error(String(status))
      opened = { id, etag: headers.get('etag') ?? '' }
      return data.data.title ?? ''
    },
    async save(title) {
      const headers = { 'If-Match': opened.etag }
      const { status } = await updatePost(opened.id, { title }, { headers })
      if (status === 412) return this.open(opened.id)
      if (status !== 200) throw new Error(String(status))
      return undefined
    },
  }
}
