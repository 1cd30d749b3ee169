// The same page with four clients of the blog: what each generates, costs and leaves to write.
// npm --prefix benchmarks run compare:client
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { gzipSync } from 'node:zlib'
import { createClient as generateHeyApi } from '@hey-api/openapi-ts'
import { build } from 'esbuild'
import openapiTypescript, { astToString } from 'openapi-typescript'
import { generate as generateOrval } from 'orval'
import { createClient } from '../../examples/blog/src/client.js'
import { writeClient } from '../../packages/cli/src/lib/client/write-client.ts'
import { formatCode } from '../../packages/cli/src/lib/code/prettier.ts'
import type { Page } from './page.ts'

const folder = import.meta.dirname
const generated = path.join(folder, 'generated')
const document = path.join(generated, 'openapi.json')
const names = ['ours', 'openapi-fetch', 'hey-api', 'orval']
const compilerOptions = {
  strict: true,
  exactOptionalPropertyTypes: true,
  target: 'es2023',
  lib: ['es2023', 'dom', 'dom.iterable'],
  module: 'esnext',
  moduleResolution: 'bundler',
  customConditions: ['@create-api/source'],
  allowImportingTsExtensions: true,
  skipLibCheck: true,
  noEmit: true,
  types: [],
}
const lifetime = 2000
// The service accepts an access token so much longer, for clocks that differ.
const tolerance = 5000
const draft = { body: 'Text', status: 'draft' } as const
const titles = Array.from({ length: 12 }, (_, index) => `Post ${index + 10}`)
const email = 'ada@example.com'
const password = 'correct horse battery staple'

process.env['MONGODB_URI'] = 'embedded:memory'
process.env['ACCESS_LOG'] = 'off'
process.env['LOG_LEVEL'] = 'error'
process.env['ACCESS_TTL'] = `${lifetime / 1000}s`
const { api } = await import('../../examples/blog/src/app.js')
rmSync(generated, { recursive: true, force: true })
for (const name of names) mkdirSync(path.join(generated, name), { recursive: true })
writeFileSync(document, JSON.stringify(api.openapi))
const text: unknown = JSON.parse(readFileSync(document, 'utf8'))

const { text: code } = writeClient(text, 'npx create-api client')
writeFileSync(path.join(generated, 'ours/client.ts'), (await formatCode(code)) ?? code)
const types = astToString(await openapiTypescript(JSON.stringify(text)))
writeFileSync(path.join(generated, 'openapi-fetch/schema.ts'), types)
await generateHeyApi({
  input: document,
  output: { path: path.join(generated, 'hey-api'), module: { extension: '.ts' } },
  plugins: ['@hey-api/client-fetch', '@hey-api/typescript', '@hey-api/sdk'],
  logs: { level: 'silent' },
})
await generateOrval({
  input: { target: document },
  output: {
    target: path.join(generated, 'orval/api.ts'),
    client: 'fetch',
    override: { mutator: { path: path.join(folder, 'pages/orval-send.ts'), name: 'send' } },
  },
})
// Its imports have no extensions.
const orval = path.join(generated, 'orval/api.ts')
writeFileSync(
  orval,
  readFileSync(orval, 'utf8').replaceAll("pages/orval-send'", "pages/orval-send.ts'"),
)

const { url } = await api.start({ port: 0, signals: false })
const author = createClient({ url })
await author.auth.register({ email, password })
const { id } = await author.authors.create({ name: 'Ada' })
for (const title of titles) await author.posts.create({ ...draft, title, slug: title, author: id })
let refreshes = 0
const send = globalThis.fetch
globalThis.fetch = (input, init) => {
  const target = input instanceof Request ? input.url : String(input)
  if (target.endsWith('/refresh-token')) refreshes++
  return send(input, init)
}

const rows: string[][] = []
for (const name of names) {
  const page = path.join(folder, `pages/${name}.ts`)
  rows.push([name, ...(await measure(name, page))])
  await use(name, page)
}
const head = ['', 'generated', 'errors of tsc', 'tsc', 'bundle, gzip', 'lines to write']
const lines = [head, head.map((_cell, index) => (index === 0 ? '---' : '--:')), ...rows]
await api.stop()
console.log(lines.map((cells) => `| ${cells.join(' | ')} |`).join('\n'))

async function measure(name: string, page: string): Promise<string[]> {
  const files = readdirSync(path.join(generated, name), { recursive: true, encoding: 'utf8' })
  const bytes = files.map((file) => statSync(path.join(generated, name, file)))
  const size = bytes.reduce((sum, stat) => sum + (stat.isFile() ? stat.size : 0), 0)
  const config = path.join(generated, `tsconfig.${name}.json`)
  writeFileSync(config, JSON.stringify({ compilerOptions, files: [page] }))
  const runs = [1, 2, 3].map(() => compile(config))
  const [errors = ''] = runs.map((run) => String(run.errors))
  const seconds = Math.min(...runs.map((run) => run.seconds))
  const bundled = await build({
    entryPoints: [page],
    bundle: true,
    minify: true,
    format: 'esm',
    write: false,
    conditions: ['@create-api/source'],
  })
  const [output] = bundled.outputFiles
  const sources = name === 'orval' ? [page, path.join(folder, 'pages/orval-send.ts')] : [page]
  return [
    `${(size / 1000).toFixed(0)} kB`,
    errors,
    `${seconds.toFixed(1)} s`,
    `${(gzipSync(output?.contents ?? '').length / 1000).toFixed(1)} kB`,
    String(sources.reduce((sum, file) => sum + countLines(file), 0)),
  ]
}

function compile(config: string): { errors: number; seconds: number } {
  const start = performance.now()
  const { stdout } = spawnSync('npx', ['tsc', '-p', config], { encoding: 'utf8' })
  const errors = stdout.match(/error TS/g)?.length ?? 0
  return { errors, seconds: (performance.now() - start) / 1000 }
}

function countLines(file: string): number {
  const all = readFileSync(file, 'utf8').split('\n')
  return all.filter((line) => line.trim() !== '' && !line.trim().startsWith('//')).length
}

// The page lists, edits, sees conflicts, and refreshes once for five requests after the access token has expired.
async function use(name: string, file: string): Promise<void> {
  const { createPage }: { createPage: (url: string) => Page } = await import(file)
  const page = createPage(url)
  await page.logIn(email, password)
  assert.deepEqual(await readTitles(page), titles)
  const { data } = await author.posts.list({ sort: 'title', limit: 1 })
  const [post] = data
  assert.ok(post)
  assert.equal(await page.open(post.id), 'Post 10')
  await author.posts.patch(post.id, { title: 'Post 1a' })
  assert.equal(await page.save('Post 1b'), 'Post 1a', name)
  assert.equal(await page.save('Post 10'), undefined, name)
  await setTimeout(lifetime + tolerance)
  const before = refreshes
  await Promise.all(Array.from({ length: 5 }, () => page.open(post.id)))
  assert.equal(refreshes - before, 1, name)
}

async function readTitles(page: Page): Promise<readonly string[]> {
  const pages: (readonly string[])[] = []
  for await (const list of page.list()) pages.push(list)
  assert.equal(pages.length, 2)
  return pages.flat()
}
