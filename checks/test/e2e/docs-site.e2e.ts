import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { createReadStream, existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import path from 'node:path'
import { type Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Browser, startBrowser } from '../client/browser.ts'

const root = path.resolve(import.meta.dirname, '../../..')
const dist = path.join(root, 'docs/.vitepress/dist')
const types: Record<string, string> = {
  '.html': 'text/html',
  '.js': 'text/javascript',
  '.css': 'text/css',
}

let server: Server
let origin: string
let browser: Browser
const missing = new Set<string>()

beforeAll(async () => {
  if (!existsSync(path.join(root, 'docs/node_modules'))) runNpm('--prefix', 'docs', 'ci')
  runNpm('--prefix', 'docs', 'run', 'build')
  server = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? '/', 'http://localhost')
    const file = path.join(dist, pathname.endsWith('/') ? `${pathname}index.html` : pathname)
    const found = existsSync(file) && statSync(file).isFile()
    response.writeHead(found ? 200 : 404, {
      'content-type': types[path.extname(file)] ?? 'application/octet-stream',
    })
    if (found) createReadStream(file).pipe(response)
    else {
      missing.add(pathname)
      response.end()
    }
  }).listen(0)
  await once(server, 'listening')
  const address = server.address()
  origin = `http://localhost:${typeof address === 'object' ? address?.port : address}`
  browser = await startBrowser()
})

afterAll(async () => {
  await browser.stop()
  server.close()
})

function runNpm(...args: string[]): void {
  execFileSync('npm', args, { cwd: root, stdio: 'pipe' })
}

async function open(page: string, width = 1280): Promise<Page> {
  const tab = await browser.context.newPage()
  await tab.setViewportSize({ width, height: 800 })
  await tab.goto(origin + page)
  await tab.waitForLoadState('networkidle')
  return tab
}

function listPages(): string[] {
  return readdirSync(dist, { recursive: true, encoding: 'utf8' }).filter(
    (file) => file.endsWith('.html') && file !== '404.html',
  )
}

interface Link {
  readonly from: string
  readonly file: string
  readonly fragment: string
}

function listLinks(page: string): Link[] {
  const html = readFileSync(path.join(dist, page), 'utf8')
  return Array.from(html.matchAll(/<a[^>]* href="([^"]+)"/g), ([, href = '']) => href)
    .filter((href) => !/^[a-z]+:/.test(href))
    .map((href) => {
      const { hash, pathname } = new URL(href, `http://localhost/${page}`)
      const file = `${pathname.slice(1)}${pathname.endsWith('/') ? 'index.html' : ''}`
      return { from: page, file, fragment: decodeURIComponent(hash.slice(1)) }
    })
}

describe('the documentation site', () => {
  it('has every page of the folder, in the navigation too', () => {
    const files = readdirSync(path.join(root, 'docs'), { recursive: true, encoding: 'utf8' })
    const pages = files.filter(
      (file) => file.endsWith('.md') && !/^(?:node_modules|\.vitepress|index\.md)/.test(file),
    )
    const html = readFileSync(path.join(dist, 'getting-started.html'), 'utf8')
    const lacking = pages.filter((file) => !html.includes(`"/${file.replace(/\.md$/, '.html')}"`))
    expect(lacking).toEqual([])
  })

  it('has no link to a page or heading that does not exist', () => {
    const pages = listPages()
    const links = pages.flatMap(listLinks)
    expect(links.length).toBeGreaterThan(1000)
    const dead = links.filter(({ file, fragment }) => {
      const target = path.join(dist, file)
      if (!existsSync(target)) return true
      return fragment !== '' && !readFileSync(target, 'utf8').includes(`id="${fragment}"`)
    })
    expect(dead).toEqual([])
  })

  it('requests nothing from another host, and nothing that does not exist', async () => {
    const tab = await browser.context.newPage()
    const requested: string[] = []
    tab.on('request', (request) => requested.push(request.url()))
    for (const page of ['/', '/getting-started.html', '/reference/core.html']) {
      await tab.goto(origin + page)
      await tab.waitForLoadState('networkidle')
    }
    expect(requested.length).toBeGreaterThan(10)
    const other = requested.filter((url) => !url.startsWith(origin) && !url.startsWith('data:'))
    expect(other).toEqual([])
    expect([...missing]).toEqual([])
    await tab.close()
  })

  it('describes every page, in quotes that do not end the attribute', () => {
    const undescribed = listPages().filter((page) => {
      const html = readFileSync(path.join(dist, page), 'utf8')
      const [, text = ''] = /<meta name="description" content="([^"]*)">/.exec(html) ?? []
      return text === ''
    })
    expect(undescribed).toEqual([])
  })

  it('shows the code of two frameworks side by side, and one below the other on a telephone', async () => {
    for (const width of [1440, 375]) {
      const tab = await open('/coming-from/express.html', width)
      const boxes = await tab.locator('.pair').first().locator('> div').all()
      const [before, now] = await Promise.all(boxes.map((box) => box.boundingBox()))
      expect(boxes).toHaveLength(2)
      expect(before?.y === now?.y).toBe(width === 1440)
      expect(before?.x === now?.x).toBe(width === 375)
      await tab.close()
    }
  })

  it('shows the name of the file above a change', () => {
    const html = readFileSync(path.join(dist, 'tutorial/3-loans.html'), 'utf8')
    const names = Array.from(
      html.matchAll(/<div class="file-name">(.*?)<\/div>/g),
      ([, name]) => name,
    )
    expect(names).toContain('src/resources/loans/loans.service.ts')
  })

  it('finds words by the local search', async () => {
    const tab = await open('/getting-started.html')
    await tab.keyboard.press('Control+k')
    await tab.locator('#localsearch-input').fill('refresh token')
    const first = tab.locator('.VPLocalSearchBox .result').first()
    await first.waitFor()
    // A guide, before the reference and the decisions.
    expect(await first.textContent()).toMatch(/^\W*Authentication.*refresh/s)
    await tab.close()
  })

  it('has a light and a dark theme', async () => {
    const tab = await open('/getting-started.html')
    const read = () => tab.evaluate<string>('getComputedStyle(document.body).backgroundColor')
    const light = await read()
    await tab.locator('.VPNavBar .VPSwitchAppearance').first().click()
    await tab.waitForFunction("document.documentElement.classList.contains('dark')")
    expect(await read()).not.toBe(light)
    await tab.close()
  })

  it('fits a telephone, and opens its navigation there', async () => {
    const pages = [
      '/',
      '/getting-started.html',
      '/tutorial/4-copies.html',
      '/coming-from/nestjs.html',
      '/comparison.html',
      '/errors.html',
    ]
    const widths = pages.map(async (page) => {
      const tab = await open(page, 375)
      return tab.evaluate<number>('document.documentElement.scrollWidth')
    })
    expect(await Promise.all(widths)).toEqual(pages.map(() => 375))
    const tab = await open('/errors.html', 375)
    await tab.locator('.VPLocalNav .menu').click()
    await tab.locator('.VPSidebar.open').waitFor()
    await tab.close()
  })

  it('has texts for language models', () => {
    const list = readFileSync(path.join(dist, 'llms.txt'), 'utf8')
    const files = Array.from(list.matchAll(/\]\(\/(.+?)\)/g), ([, file = '']) => file)
    expect(files.length).toBeGreaterThan(20)
    const full = readFileSync(path.join(dist, 'llms-full.txt'), 'utf8')
    for (const file of files) expect(full).toContain(readFileSync(path.join(dist, file), 'utf8'))
  })
})
