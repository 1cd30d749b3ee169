import { once } from 'node:events'
import { createServer } from 'node:http'
import { type AddressInfo } from 'node:net'
import { expect, it } from 'vitest'
import { executablePath, startBrowser } from './browser.ts'
import { startNotesService } from './notes-service.ts'

it.skipIf(executablePath === undefined)(
  'a page of another origin logs in and refreshes by the cookie',
  async () => {
    const front = createServer((_req, res) => {
      res.setHeader('content-type', 'text/html').end('<!doctype html>')
    }).listen(0)
    await once(front, 'listening')
    const { port } = front.address() as AddressInfo
    const origin = `http://localhost:${port}`
    const service = await startNotesService({ COOKIES: '1', CORS_ORIGINS: origin })
    const browser = await startBrowser()
    try {
      const page = await browser.context.newPage()
      await page.goto(origin)
      const api = service.url.replace('127.0.0.1', 'localhost')
      const statuses = await page.evaluate(async (url) => {
        const call = async (path: string, body?: object): Promise<number> => {
          const response = await fetch(`${url}/api/v1/auth/${path}`, {
            method: 'POST',
            credentials: 'include',
            ...(body && {
              headers: { 'content-type': 'application/json' },
              body: JSON.stringify(body),
            }),
          })
          return response.status
        }
        const user = { email: 'ada@example.org', password: 'TestRiver42!' }
        return [await call('register', user), await call('refresh-token')]
      }, api)
      expect(statuses).toEqual([201, 200])
    } finally {
      await browser.stop()
      await service.stop()
      front.close()
    }
  },
)
