import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { get } from 'node:https'
import path from 'node:path'
import { startEmbeddedMongo } from '@create-api/embedded-mongo'
import mongoose from 'mongoose'
import { afterAll, afterEach, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { findFreePort } from '../../../packages/core/test/free-port.ts'
import { createRedisServer, hasRedis } from '../limits/redis-server.ts'
import { type DocsExamples, writeDocsExamples } from '../docs-examples.ts'
import { findTypeErrors } from '../openapi/type-errors.ts'

const docs = path.resolve(import.meta.dirname, '../../../docs')
const routes = `import { createRegistry, createRouter, get, success } from '@create-api/core'
import { z } from 'zod'

const hello = createRouter([
  get('/', { access: 'public', response: z.object({ address: z.string() }) }, (req, res) => {
    success(res, { address: req.ip ?? '' })
  }),
])
export const routes = createRegistry().use('/api/hello', hello)
`

const app = `import { createApi } from '@create-api/core'
import { routes } from './routes.js'

export const api = createApi({ name: 'recipes', routes, auth: false })
`

// What a project has besides the code of a page.
function writeProject(page: string): DocsExamples {
  const examples = writeDocsExamples(page)
  writeFileSync(path.join(examples.folder, 'routes.ts'), routes)
  const file = path.join(examples.folder, 'app.ts')
  if (!existsSync(file)) writeFileSync(file, app)
  return examples
}

function writeExamples(page: string): DocsExamples {
  const examples = writeProject(page)
  onTestFinished(() => examples.remove())
  return examples
}

function setVariable(name: string, value: string): void {
  process.env[name] = value
  onTestFinished(() => {
    delete process.env[name]
  })
}

// The tests that the pages show.
describe.each(['transactions', 'versions'])('docs/recipes/%s.md', async (page) => {
  const examples = writeProject(`recipes/${page}.md`)
  afterAll(() => examples.remove())
  for (const file of examples.files.filter((name) => name.endsWith('.test.ts'))) await import(file)
})

describe('docs/recipes', () => {
  let embedded: Awaited<ReturnType<typeof startEmbeddedMongo>>

  beforeAll(async () => {
    embedded = await startEmbeddedMongo({ storage: { memory: true }, port: 0, onMessage: () => {} })
  })
  afterEach(() => mongoose.disconnect())
  afterAll(() => embedded.stop())

  it('have code with correct types', () => {
    const pages = readdirSync(path.join(docs, 'recipes')).map((page) => `recipes/${page}`)
    const withCode = pages.filter((page) =>
      readFileSync(path.join(docs, page), 'utf8').includes('```ts\n'),
    )
    const files = withCode.flatMap((page) => writeExamples(page).files)
    const options = { customConditions: ['@create-api/source'], types: ['node'] }
    expect(findTypeErrors(files, options)).toEqual([])
    expect(files.length).toBeGreaterThan(withCode.length)
  })

  it('search.md finds words by their stems', async () => {
    const { folder } = writeExamples('recipes/search.md')
    await mongoose.connect(embedded.uri, { dbName: 'search' })
    const { ArticleModel, list, listArticles } = await import(path.join(folder, 'articles.ts'))
    await ArticleModel.init()
    await ArticleModel.create([
      { title: 'Two lakes', text: 'Water' },
      { title: 'A boat', text: 'on a lake' },
      { title: 'A hill', text: 'Grass' },
    ])
    const { data } = await list({}, listArticles.parse({ words: 'lake -boat' }))
    expect(data.map(({ title }: { title: string }) => title)).toEqual(['Two lakes'])
  })

  it('mail.md keeps mails where there is no server', async () => {
    const { folder } = writeExamples('recipes/mail.md')
    const { sendReceipt } = await import(path.join(folder, 'mail.ts'))
    await expect(sendReceipt('ada@example.org', '5 CHF')).resolves.toBeUndefined()
  })

  it('serverless.md handles an event', async () => {
    const { folder } = writeExamples('recipes/serverless.md')
    setVariable('MONGODB_URI', embedded.uri.replace('/?', '/serverless?'))
    const { handler } = await import(path.join(folder, 'lambda.ts'))
    const event = {
      version: '2.0',
      rawPath: '/api/hello',
      rawQueryString: '',
      headers: { host: 'example.org' },
      requestContext: { http: { method: 'GET', path: '/api/hello', sourceIp: '192.0.2.1' } },
      isBase64Encoded: false,
    }
    const response = await handler(event, {})
    expect(response.statusCode).toBe(200)
    expect(JSON.parse(response.body)).toHaveProperty('data.address')
    expect((await handler({ ...event, rawPath: '/nothing' }, {})).statusCode).toBe(404)
  })

  describe.runIf(hasRedis)('with Redis', () => {
    const redis = createRedisServer()

    beforeAll(async () => (await redis).start())
    afterAll(async () => (await redis).remove())

    it('caching.md computes a value once', async () => {
      const { folder } = writeExamples('recipes/caching.md')
      setVariable('REDIS_URL', (await redis).url)
      const { cached, closeCache } = await import(path.join(folder, 'cache.ts'))
      let count = 0
      const read = (): Promise<unknown> =>
        cached('answer', 60, async () => {
          count += 1
          return { count }
        })
      expect(await Promise.all([read(), read()])).toEqual([{ count: 1 }, { count: 1 }])
      expect(await read()).toEqual({ count: 1 })
      await (await redis).kill()
      expect(await read()).toEqual({ count: 2 })
      await (await redis).start()
      closeCache()
    })

    it('background-work.md does the work, once for each user', async () => {
      const { folder } = writeExamples('recipes/background-work.md')
      setVariable('QUEUE_URL', (await redis).url)
      const { connection, welcome, welcomes } = await import(path.join(folder, 'queue.ts'))
      await welcome('1')
      await welcome('1')
      await welcome('2')
      expect(await welcomes.getWaitingCount()).toBe(2)
      const { worker } = await import(path.join(folder, 'worker.ts'))
      const ended: string[] = []
      await new Promise<void>((done) => {
        worker.on('completed', ({ data }: { data: { userId: string } }) => {
          if (ended.push(data.userId) === 2) done()
        })
      })
      expect(ended.toSorted((a, b) => a.localeCompare(b))).toEqual(['1', '2'])
      await worker.close()
      await welcomes.close()
      connection.disconnect()
    })
  })

  const hasNginx = spawnSync('nginx', ['-v']).status === 0
  it.runIf(hasNginx)('nginx.md passes requests on, and the address of the client', async () => {
    const { folder } = writeExamples('recipes/nginx.md')
    const { createApi } = await import('@create-api/core')
    const { routes: registry } = await import(path.join(folder, 'routes.ts'))
    const api = createApi({
      routes: registry,
      auth: false,
      database: false,
      trustProxy: 1,
      log: { level: 'silent' },
    })
    const { url } = await api.start({ port: 0, signals: false })
    const port = await findFreePort()
    const configuration = writeConfiguration(folder, { port, service: new URL(url).host })
    const nginx = spawn('nginx', ['-p', folder, '-c', configuration, '-g', 'daemon off;'], {
      stdio: ['ignore', 'ignore', 'inherit'],
    })
    onTestFinished(async () => {
      nginx.kill('SIGQUIT')
      await once(nginx, 'exit')
      await api.stop()
    })
    const { body, status } = await readWhenReady(`https://127.0.0.1:${port}/api/hello`)
    expect([status, JSON.parse(body)]).toEqual([200, { data: { address: '192.0.2.7' } }])
  })
})

// The configuration of the page with a certificate, and ports that are free.
function writeConfiguration(
  folder: string,
  { port, service }: { readonly port: number; readonly service: string },
): string {
  const page = readFileSync(path.join(docs, 'recipes/nginx.md'), 'utf8')
  const [, block = ''] = /```nginx\n([\s\S]*?)```/.exec(page) ?? []
  const subject = ['-subj', '/CN=127.0.0.1', '-days', '1', '-nodes']
  const files = ['-keyout', path.join(folder, 'key.pem'), '-out', path.join(folder, 'cert.pem')]
  execFileSync('openssl', ['req', '-x509', '-newkey', 'rsa:2048', ...subject, ...files], {
    stdio: 'ignore',
  })
  mkdirSync(path.join(folder, 'tmp'))
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
  const servers = block
    .replace('listen 443 ssl;', `listen 127.0.0.1:${port} ssl;`)
    .replace('127.0.0.1:3000', service)
    .replace('/etc/ssl/api.example.com.pem', path.join(folder, 'cert.pem'))
    .replace('/etc/ssl/api.example.com.key', path.join(folder, 'key.pem'))
    // The address that a client has here is not that of this machine.
    .replace('$proxy_add_x_forwarded_for', '"192.0.2.7"')
  const text = `pid ${folder}/nginx.pid;
error_log ${folder}/error.log;
events {}
http {
  access_log off;
  ${temporary.map((name) => `${name}_temp_path ${folder}/tmp/${name};`).join('\n  ')}
  ${servers}
}
`
  const file = path.join(folder, 'nginx.conf')
  writeFileSync(file, text)
  return file
}

interface Reply {
  readonly status: number | undefined
  readonly body: string
}

async function readWhenReady(url: string): Promise<Reply> {
  for (;;) {
    const reply = await readOnce(url).catch(() => undefined)
    if (reply) return reply
  }
}

function readOnce(url: string): Promise<Reply> {
  return new Promise((done, fail) => {
    const request = get(url, { rejectUnauthorized: false }, (response) => {
      let body = ''
      response.setEncoding('utf8')
      response.on('data', (chunk: string) => (body += chunk))
      response.on('end', () => done({ status: response.statusCode, body }))
    })
    request.on('error', fail)
  })
}
