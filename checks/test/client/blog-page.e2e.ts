import { execFile } from 'node:child_process'
import path from 'node:path'
import { promisify } from 'node:util'
import { type Locator, type Page } from 'playwright-core'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { createClient } from '../../../examples/blog/src/client.ts'
import { type Blog, blog, startBlog } from './blog.ts'
import { executablePath } from './browser.ts'

const password = 'correct horse battery staple'

it('has types', async () => {
  const tsc = path.resolve('node_modules/typescript/bin/tsc')
  const args = ['--noEmit', '-p', path.join(blog, 'web')]
  // The sources of our packages instead of what was built of them.
  const sources = ['--customConditions', '@create-api/source', '--allowImportingTsExtensions']
  const { stdout } = await promisify(execFile)(process.execPath, [tsc, ...args, ...sources])
  expect(stdout).toBe('')
})

describe.skipIf(executablePath === undefined)('the page of examples/blog in Chromium', () => {
  let started: Blog
  let email: string
  let first: Page
  let second: Page
  let user = 0

  beforeAll(async () => {
    started = await startBlog()
  })

  afterAll(() => started.stop())

  beforeEach(async () => {
    user += 1
    email = `ada-${user}@example.org`
    const client = createClient({ url: started.url })
    await client.auth.register({ email, password })
    const author = await client.authors.create({ name: 'Ada' })
    for (let index = 1; index <= 25; index += 1) {
      const number = String(index).padStart(2, '0')
      await client.posts.create({
        title: `Post ${number}`,
        slug: `post-${user}-${number}`,
        body: 'Hello',
        status: 'draft',
        author: author.id,
      })
    }
    first = await open()
    second = await open()
    await logIn(first)
    return async () => {
      await first.getByRole('button', { name: 'Log out' }).click()
      await Promise.all([first.close(), second.close()])
    }
  })

  async function open(): Promise<Page> {
    const page = await started.browser.context.newPage()
    await page.goto(started.origin)
    return page
  }

  async function logIn(page: Page, word = password): Promise<void> {
    await page.getByLabel('E-mail').fill(email)
    await page.getByLabel('Password').fill(word)
    await page.getByRole('button', { name: 'Log in' }).click()
  }

  async function edit(page: Page, post: string, title: string): Promise<void> {
    await page.getByRole('button', { name: post }).click()
    await expect.poll(() => page.getByLabel('Title').inputValue()).toBe(post)
    await page.getByLabel('Title').fill(title)
  }

  const items = (page: Page): Locator => page.locator('#posts li')
  const save = (page: Page): Promise<void> => page.getByRole('button', { name: 'Save' }).click()
  const alert = (page: Page): Locator => page.getByRole('alert')

  it('logs in in both tabs, and out of both', async () => {
    await items(first).first().waitFor()
    await items(second).first().waitFor()
    await second.getByRole('button', { name: 'Log out' }).click()
    for (const page of [first, second]) {
      await page.getByRole('button', { name: 'Log in' }).waitFor()
      expect(await items(page).first().isVisible()).toBe(false)
    }
    await logIn(first, 'wrong horse battery staple')
    await alert(first).getByText('E-mail or password is wrong.').waitFor()
    await logIn(first)
    await items(first).first().waitFor()
  })

  it('shows the posts page by page', async () => {
    const more = first.getByRole('button', { name: 'More' })
    await expect.poll(() => items(first).count()).toBe(10)
    await more.click()
    await expect.poll(() => items(first).count()).toBe(20)
    await more.click()
    await expect.poll(() => items(first).count()).toBe(25)
    expect(await more.isVisible()).toBe(false)
    expect(await items(first).last().textContent()).toBe('Post 25')
  })

  it('overwrites no change of the other tab unseen', async () => {
    await edit(first, 'Post 01', 'Post 01 of the first tab')
    await edit(second, 'Post 01', 'Post 01 of the second tab')
    await save(first)
    await first.getByRole('button', { name: 'Post 01 of the first tab' }).waitFor()
    await save(second)
    await alert(second).getByText('changed meanwhile to “Post 01 of the first tab”').waitFor()
    await second.getByRole('button', { name: 'Show the other version' }).click()
    expect(await second.getByLabel('Title').inputValue()).toBe('Post 01 of the first tab')
    await second.getByLabel('Title').fill('Post 01 of both')
    await save(second)
    await second.getByRole('button', { name: 'Post 01 of both' }).waitFor()
  })

  it('replaces the other version when it is saved again', async () => {
    await edit(first, 'Post 02', 'Post 02 of the first tab')
    await edit(second, 'Post 02', 'Post 02 of the second tab')
    await save(first)
    await first.getByRole('button', { name: 'Post 02 of the first tab' }).waitFor()
    await save(second)
    await alert(second).getByText('Save again to replace that').waitFor()
    await save(second)
    const button = second.getByRole('button', { name: 'Post 02 of the second tab' })
    await expect.poll(() => button.isVisible()).toBe(true)
  })
})
