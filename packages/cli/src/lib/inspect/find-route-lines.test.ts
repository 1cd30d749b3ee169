import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { parseConfig } from '../project/config.ts'
import { findRouteLines } from './find-route-lines.ts'

const root = mkdtempSync(join(tmpdir(), 'routes-'))

afterAll(() => rmSync(root, { recursive: true }))

it('findRouteLines finds routes in each form, and no line for a path that is computed', async () => {
  const config = { ...parseConfig('{}'), registry: 'routes.ts' }
  const manifest = { version: 1, cli: '0.0.0', template: 'default', resources: {} } as const
  writeFileSync(
    join(root, 'routes.ts'),
    "import { posts } from './posts.js'\nroutes.use('/api/posts', posts)\n",
  )
  writeFileSync(
    join(root, 'posts.ts'),
    `export const posts = createRouter((route) => [
  get('/', list),
  route.del('/:id', { params }, remove),
  defineRoute({ method: 'post', path: '/', body: post.pick({ a: true }), handler: create }),
  put(path, { body }, replace),
])
`,
  )
  const places = await findRouteLines({ root, config, manifest, dependencies: {} })
  expect(Object.fromEntries(places)).toEqual({
    'GET /api/posts': { file: 'posts.ts', line: 2, schemas: {} },
    'DELETE /api/posts/:id': { file: 'posts.ts', line: 3, schemas: { params: 'params' } },
    'POST /api/posts': { file: 'posts.ts', line: 4, schemas: { body: 'post.pick({ a: true })' } },
  })
})
