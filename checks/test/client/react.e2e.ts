import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Client, createClient } from '../../../examples/blog/src/client.ts'
import { writeDocsExamples } from '../docs-examples.ts'
import { type Browser, bundle, executablePath, startBrowser } from './browser.ts'
import { type FaultProxy, type PageFile, startFaultProxy } from './fault-proxy.ts'

const modules = ['posts-query.tsx', 'posts-swr.tsx'] as const
const credentials = { email: 'ada@example.org', password: 'correct horse battery staple' }

// What docs/client.md leaves to the application.
const api = `
import { createClient } from './client.ts'
export const client = createClient({ url: location.origin, storage: 'local' })
`
const toPage = (module: string): string => `
import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { useState } from 'react'
import { createRoot } from 'react-dom/client'
import { client } from './api.ts'
import { Editor, Posts } from './${module}'

function App() {
  const [id, open] = useState()
  return <><ul><Posts open={open} /></ul>{id && <Editor id={id} />}</>
}

await client.auth.login(${JSON.stringify(credentials)})
createRoot(document.querySelector('#root')).render(
  <QueryClientProvider client={new QueryClient()}><App /></QueryClientProvider>
)
`

describe.skipIf(executablePath === undefined)('the code for React of docs/client.md', () => {
  const examples = writeDocsExamples('client.md', {
    'src/client.ts': 'examples/blog/src/client.ts',
  })
  let browser: Browser
  let proxy: FaultProxy
  let client: Client
  let stop: () => Promise<void>

  beforeAll(async () => {
    process.env['MONGODB_URI'] = 'embedded:memory'
    process.env['RATE_LIMIT'] = 'off'
    const { api: blog } = await import('../../../examples/blog/src/app.ts')
    const { url } = await blog.start({ port: 0, signals: false })
    stop = () => blog.stop()
    writeFileSync(path.join(examples.folder, 'api.ts'), api)
    const files = await Promise.all(modules.map(toFiles))
    proxy = await startFaultProxy(url, Object.assign({}, ...files))
    browser = await startBrowser()
    client = createClient({ url })
    await insertPosts()
  })

  afterAll(async () => {
    await browser?.stop()
    await proxy?.stop()
    await stop?.()
    examples.remove()
  })

  async function toFiles(module: string): Promise<Record<string, PageFile>> {
    const entry = path.join(examples.folder, `page-${module}`)
    writeFileSync(entry, toPage(module))
    const script = `<script type="module" src="/${module}.js"></script>`
    return {
      [`/${module}`]: { type: 'text/html', content: `<div id="root"></div>${script}` },
      [`/${module}.js`]: { type: 'text/javascript', content: await bundle(entry) },
    }
  }

  async function insertPosts(): Promise<void> {
    await client.auth.register(credentials)
    const author = await client.authors.create({ name: 'Ada' })
    for (let index = 10; index < 25; index += 1) {
      await client.posts.create({
        title: `Post ${index}`,
        slug: `post-${index}`,
        body: 'Hello',
        status: 'draft',
        author: author.id,
      })
    }
  }

  it.each(modules)('shows pages, saves changes and reports a conflict: %s', async (module) => {
    const { data } = await client.posts.list({ sort: 'title', limit: 1 })
    const [post] = data
    if (!post) throw new Error('There are no posts.')
    await client.posts.patch(post.id, { title: 'Post 10' })
    const page = await browser.context.newPage()
    await page.goto(`${proxy.url}/${module}`)
    const items = page.locator('li')
    await expect.poll(() => items.count()).toBe(10)
    await page.getByRole('button', { name: 'More' }).click()
    await expect.poll(() => items.count()).toBe(15)
    expect(await page.getByRole('button', { name: 'More' }).count()).toBe(0)

    await page.getByText('Post 10').click()
    const title = page.locator('input[name=title]')
    await expect.poll(() => title.inputValue()).toBe('Post 10')
    await title.fill('Post 10, saved')
    await page.getByRole('button', { name: 'Save' }).click()
    await items.getByText('Post 10, saved').waitFor()

    await client.posts.patch(post.id, { title: 'Post 10 of another device' })
    await title.fill('Post 10, saved again')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('alert').getByText('precondition_failed').waitFor()
    expect((await client.posts.get(post.id)).title).toBe('Post 10 of another device')
    await page.close()
  })
})
