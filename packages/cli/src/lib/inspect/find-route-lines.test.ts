import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { parseConfig } from '../project/config.ts'
import { findRouteLines, type RoutePlace } from './find-route-lines.ts'

const root = mkdtempSync(join(tmpdir(), 'routes-'))

afterAll(() => rmSync(root, { recursive: true }))

let folders = 0

async function find(files: Readonly<Record<string, string>>): Promise<Record<string, RoutePlace>> {
  const folder = join(root, String((folders += 1)))
  mkdirSync(folder)
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text)
  const config = { ...parseConfig('{}'), registry: 'routes.ts' }
  const manifest = { version: 1, cli: '0.0.0', template: 'default', resources: {} } as const
  const places = await findRouteLines({ root: folder, config, manifest, dependencies: {} })
  return Object.fromEntries(places)
}

async function findLines(posts: string): Promise<Record<string, number>> {
  const places = await find({
    'routes.ts': "import { posts } from './posts.js'\nroutes.use('/posts', posts)\n",
    'posts.ts': posts,
  })
  return Object.fromEntries(Object.entries(places).map(([key, { line }]) => [key, line]))
}

describe('findRouteLines', () => {
  it('finds routes in each form, and no line for a path that is computed', async () => {
    const places = await find({
      'routes.ts': "import { posts } from './posts.js'\nroutes.use('/api/posts', posts)\n",
      'posts.ts': `import { createRouter, defineRoute, get, put as replaceAt } from '@create-api/core'
export const posts = createRouter((route) => [
  get('/', list),
  route.del('/:id', { params }, remove),
  defineRoute({ method: 'post', path: '/', body: post.pick({ a: true }), handler: create }),
  replaceAt('/:id', replace),
  replaceAt(path, { body }, replace),
])
`,
    })
    expect(places).toEqual({
      'GET /api/posts': { file: 'posts.ts', line: 3, schemas: {} },
      'DELETE /api/posts/:id': { file: 'posts.ts', line: 4, schemas: { params: 'params' } },
      'POST /api/posts': { file: 'posts.ts', line: 5, schemas: { body: 'post.pick({ a: true })' } },
      'PUT /api/posts/:id': { file: 'posts.ts', line: 6, schemas: {} },
    })
  })

  it('distinguishes the routers of one file', async () => {
    const places = await find({
      'routes.ts': `import { posts, tags as labels } from './both.js'
routes.use('/posts', posts)
routes.use('/tags', labels)
`,
      'both.ts': `import { createRouter, get } from '@create-api/core'
export const posts = createRouter([get('/', list)])
const all = createRouter([get('/', list)])
export { all as tags }
`,
    })
    expect(places).toMatchObject({ 'GET /posts': { line: 2 }, 'GET /tags': { line: 3 } })
  })

  it('finds routes that have their own names, and those that a function returns', async () => {
    const named = `import { createRouter, get, post } from '@create-api/core'
const list = get('/', listPosts)
export const posts = createRouter([list, ...create()])
function create() {
  return [post(\`/\`, createPost)]
}
`
    expect(await findLines(named)).toEqual({ 'GET /posts': 2, 'POST /posts': 5 })
  })

  // Each of these is a member of every object.
  it.each(Object.getOwnPropertyNames(Object.prototype))(
    'passes over calls of .%s()',
    async (name) => {
      const source = `import { createRouter, get } from '@create-api/core'
const id = value.${name}('hex')
export const posts = createRouter([get('/', () => id.${name}('/x'))])
`
      expect(await findLines(source)).toEqual({ 'GET /posts': 3 })
    },
  )

  it('passes over functions of other modules, and shows no line for a route that is written twice', async () => {
    const source = `import { createRouter, get } from '@create-api/core'
export const posts = createRouter([
  get('/', () => [cache.get('/old'), cache.all().get('/old')]),
  get('/twice', list),
  get('/twice', list),
])
`
    expect(await findLines(source)).toEqual({ 'GET /posts': 3 })
  })
})
