import { createClient, type PostView } from '../generated/ours/client.ts'
import type { Page } from '../page.ts'

export function createPage(url: string): Page {
  const client = createClient({ url })
  let opened: PostView | undefined
  return {
    async logIn(email, password) {
      await client.auth.login({ email, password })
    },
    async *list() {
      const pages = client.posts.pages({ sort: 'title' }, { pageSize: 10 })
      for await (const { data } of pages) yield data.map(({ title = '' }) => title)
    },
    async open(id) {
      opened = await client.posts.get(id)
      return opened.title ?? ''
    },
    async save(title) {
      if (!opened) return undefined
      const result = await client.posts.patch(opened, { title }).safe()
      if (result.ok) return undefined
      if (result.error.code !== 'precondition_failed') throw result.error
      opened = result.error.current ?? opened
      return opened.title
    },
  }
}
