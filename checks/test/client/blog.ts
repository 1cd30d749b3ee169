import { spawn } from 'node:child_process'
import { once } from 'node:events'
import path from 'node:path'
import { vi } from 'vitest'
import { findFreePort } from '../../../packages/core/test/free-port.ts'
import { type Browser, startBrowser } from './browser.ts'

/** The folder of the example. */
export const blog = path.resolve(import.meta.dirname, '../../../examples/blog')

/** The example and its pages in a browser. */
export interface Blog {
  readonly browser: Browser
  /** Origin of the pages. */
  readonly origin: string
  /** URL of the API. */
  readonly url: string
  readonly stop: () => Promise<void>
}

/**
 * Starts the API of the example, its pages and a browser.
 * @param variables - further environment variables of the API
 * @returns what was started
 */
export async function startBlog(variables: NodeJS.ProcessEnv = {}): Promise<Blog> {
  const port = await findFreePort()
  const origin = `http://localhost:${port}`
  const own = { CORS_ORIGINS: origin, APP_URL: origin, MONGODB_URI: 'embedded:memory' }
  Object.assign(process.env, own, variables)
  const { api } = await import('../../../examples/blog/src/app.ts')
  const { url } = await api.start({ port: 0, signals: false })
  const sources = ['--conditions=@create-api/source', `--define:API_URL=${JSON.stringify(url)}`]
  const args = ['run', 'web', '--', `--serve=localhost:${port}`, ...sources]
  const web = spawn('npm', args, { cwd: blog, stdio: ['pipe', 'ignore', 'ignore'] })
  await vi.waitFor(() => fetch(origin), { timeout: 120_000 })
  const browser = await startBrowser()
  return {
    browser,
    origin,
    url,
    async stop() {
      await browser.stop()
      // It ends when its input is closed.
      web.stdin.end()
      await once(web, 'exit')
      await api.stop()
    },
  }
}
