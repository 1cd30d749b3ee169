import { symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { createApiProgram } from '../../../packages/cli/src/lib/programs/api-program.ts'
import { type Result, runProgram } from '../../../packages/cli/test/run-program.ts'
import { createApp, repository } from './express-project.ts'

function list(cwd: string, file = '', ...args: readonly string[]): Promise<Result> {
  const named = file === '' ? [] : [file]
  return runProgram(createApiProgram, ['routes', ...args, '--express', ...named], { cwd })
}

async function listJson(cwd: string, file?: string) {
  const { code, stderr, stdout } = await list(cwd, file, '--json')
  expect([code, stderr]).toEqual([0, ''])
  return JSON.parse(stdout)
}

const toLine = (route: { method: string; path: string }): string => `${route.method} ${route.path}`

const shop = {
  'app.js': `const express = require('express')
const mongoose = require('mongoose')
const Post = require('./models/post')
const catchErrors = require('./catch-errors')

const app = express()
app.use(express.json())
const posts = express.Router({ mergeParams: true })
posts.use(function log(req, res, next) { next() })
posts.route('/')
  .get(catchErrors(async function list(req, res) { res.json(await Post.find()) }))
  .post(requireUser, async function create(req, res) { res.json(await Post.create(req.body)) })
posts.get('/:id', function read(req, res) { res.end() })
posts.get('/latest', function latest(req, res) { res.end() })
posts.get('/:id/comments', (req, res, next) => next())
posts.put('/:id', catchErrors(async (req, res) => { res.end() }))
app.use(['/posts', '/articles'], posts)
const admin = express()
admin.all('/tasks', function tasks(req, res) { res.end() })
admin.get('/tasks', function never(req, res) { res.end() })
app.use('/admin', admin)
app.get(/^\\/files\\/(.*)$/, function file(req, res) { res.end() })
app.get('relative', (req, res) => res.end())
function requireUser(req, res, next) { next() }
mongoose.connect('mongodb://127.0.0.1:9/shop').then(() => {
  app.get('/late', function late(req, res) { res.end() })
  app.use((req, res) => { res.status(404).end() })
  app.delete('/after', function after(req, res) { res.end() })
  app.listen(3000, () => console.log('listening'))
})
`,
  'catch-errors.js':
    'module.exports = (fn) => (req, res, next) => fn(req, res).catch(next)\n' +
    'module.exports.unused = module.exports(() => {})\n',
  'models/post.js': `const { Schema, model } = require('mongoose')
module.exports = model('Post', new Schema({ title: String }))
`,
}

describe.each([4, 5] as const)('api routes --express with Express %i', (version) => {
  it('lists nested, mounted, combined and late routes with their places', async () => {
    const { express, resources, routes } = await listJson(createApp(version, shop))
    expect(routes.map(toLine)).toEqual([
      ...['/posts', '/articles'].flatMap((path) => [
        `GET ${path}`,
        `POST ${path}`,
        `GET ${path}/:id`,
        `GET ${path}/latest`,
        `GET ${path}/:id/comments`,
        `PUT ${path}/:id`,
      ]),
      'ALL /admin/tasks',
      'GET /admin/tasks',
      'GET </^\\/files\\/(.*)$/>',
      'GET relative',
      'GET /late',
      'DELETE /after',
    ])
    expect(express).toMatchObject({
      file: 'app.js',
      version: expect.stringMatching(new RegExp(`^${version}\\.`)),
      prevented: ['connecting to MongoDB', 'listening on port 3000'],
    })
    expect(routes[1]).toMatchObject({
      handler: 'create',
      middleware: ['requireUser'],
      place: { file: 'app.js', line: 12, column: expect.any(Number) },
      registered: { file: 'app.js', line: 12 },
    })
    // The function that catchErrors returns is written elsewhere, once for all.
    expect(routes[0]).toMatchObject({ place: { file: 'app.js', line: 11, column: 4 } })
    expect(resources).toEqual([
      {
        name: 'posts',
        path: '/posts',
        routes: ['GET /posts', 'POST /posts', 'GET /posts/:id', 'PUT /posts/:id'],
        others: ['GET /posts/latest', 'GET /posts/:id/comments'],
        model: { name: 'Post', place: { file: 'models/post.js', line: 2, column: 18 } },
      },
      expect.objectContaining({ name: 'articles' }),
    ])
  })

  it('prints a table, what shadows routes, and what was prevented', async () => {
    const { code, stderr, stdout } = await list(
      createApp(version, shop),
      'app.js',
      '/posts',
      '--method',
      'get',
    )
    expect(code).toBe(0)
    expect(stdout.split('\n').map((line) => line.split(/ {2,}/))).toEqual([
      ['METHOD', 'PATH', 'HANDLER', 'FILE'],
      ['GET', '/posts', 'app.js:11:4'],
      ['GET', '/posts/:id', 'read', 'app.js:13:32'],
      ['GET', '/posts/latest', 'latest', 'app.js:14:37'],
      ['GET', '/posts/:id/comments', 'app.js:15:28'],
      [expect.stringMatching(/^4 routes of app\.js, Express /)],
      [''],
      ['These could become resources:'],
      ['PATH', 'ROUTES', 'OTHERS', 'MODEL'],
      ['/posts', 'GET GET', '+2', 'Post models/post.js:2:18'],
      [''],
    ])
    expect(stderr.split('\n')).toEqual([
      '  warning: GET /posts/latest (app.js:14:37) is never reached: its requests go to GET /posts/:id (app.js:13:7)',
      '  note: prevented while loading: connecting to MongoDB, listening on port 3000',
      '',
    ])
    const all = await list(createApp(version, shop))
    expect(all.stderr).toContain(
      'DELETE /after (app.js:28:38) is never reached: its requests go to middleware / (app.js:27:7)',
    )
    expect(all.stderr).toContain(
      'GET /admin/tasks (app.js:20:35) is never reached: its requests go to ALL /admin/tasks (app.js:19:7)',
    )
    expect(all.stderr).toContain('GET relative matches no request: its path has no / first')
    expect(all.stderr).toContain('which paths GET </^\\/files\\/(.*)$/> matches is not known')
  })

  it('finds an application that is exported, returned by a function, served or a router', async () => {
    const routes = "get('/one', function one(req, res) { res.end() })"
    const starts = {
      'module.exports = { server: 1, app: express().ROUTES }': undefined,
      'exports.createApp = () => express().ROUTES': 'createApp',
      'module.exports = async () => ({ app: express().ROUTES })': 'default',
      "require('http').createServer(express().ROUTES).listen(0)": undefined,
      'module.exports = express.Router().ROUTES': undefined,
      "express().ROUTES; new Promise(() => {}).then(() => express().get('/two', () => {}))":
        undefined,
    }
    for (const [text, called] of Object.entries(starts)) {
      const source = `const express = require('express')\n${text.replace('ROUTES', routes)}\n`
      const root = createApp(version, { 'src/server.js': source })
      const output = await listJson(root)
      expect([text, output.routes.map(toLine)]).toEqual([text, ['GET /one']])
      const { stderr } = await list(root)
      const note = `${called}() was called to create the application`
      expect([text, stderr.includes(note)]).toEqual([text, called !== undefined])
    }
  })

  it('reads TypeScript and ES modules, with places in the source', async () => {
    const source = `import express, { Router, type Request, type Response } from 'express'

interface Unused {
  readonly name: string
}

export const router = Router()
class Notes {
  list(_req: Request, res: Response): void {
    res.end()
  }
}
const notes = new Notes()
router.get('/notes', notes.list.bind(notes))
export const app = express().use('/api', router)
await new Promise((resolve) => app.listen(4000, resolve as () => void))
`
    const files = {
      'src/app.ts': source,
      'package.json': '{"type":"module"}',
    }
    const refused = await list(createApp(version, files))
    expect(refused.code).toBe(1)
    expect(refused.stderr).toBe(
      'error: src/app.ts is TypeScript, and tsx is not installed\n' +
        '  npm install --save-dev tsx, or name the compiled file: --express dist/app.js\n',
    )
    const root = createApp(version, files)
    symlinkSync(join(repository, 'node_modules/tsx'), join(root, 'node_modules/tsx'))
    const { routes } = await listJson(root, 'src/app.ts')
    expect(routes).toMatchObject([
      {
        method: 'GET',
        path: '/api/notes',
        place: { file: 'src/app.ts', line: 9 },
        registered: { file: 'src/app.ts', line: 14 },
      },
    ])
  })

  it('tells what an application did that exits or fails while it is loaded', async () => {
    const start = "const app = require('express')()\napp.get('/one', (req, res) => res.end())\n"
    const exit = await list(createApp(version, { 'index.js': `${start}process.exit(3)` }))
    expect(exit.stdout).toContain('/one')
    expect(exit.stderr).toBe(
      '  warning: while loading: the application exited with 3 while it was loaded\n',
    )
    const failed = await list(
      createApp(version, { 'index.js': `${start}throw new Error('no key')` }),
    )
    expect(failed.stdout).toContain('/one')
    expect(failed.stderr).toBe('  warning: while loading: no key\n')
  })
})

describe('api routes --express', () => {
  it('rejects what it cannot list', async () => {
    const none = await list(createApp(5, { 'app.js': 'module.exports = 1' }))
    expect(none).toMatchObject({
      code: 1,
      stderr:
        'error: app.js creates no Express application\n' +
        '  name the file that creates, exports or starts it: --express <file>\n',
    })
    const broken = await list(createApp(5, { 'app.js': 'missing()' }))
    expect(broken.stderr).toContain('ReferenceError: missing is not defined\n    at')
    const empty = await list(createApp(5, {}))
    expect(empty.code).toBe(2)
    expect(empty.stderr).toContain('looks like an Express application')
    const absent = await list(createApp(5, {}), 'nowhere.js')
    expect(absent.stderr).toBe('error: nowhere.js does not exist\n')
    const access = await list(createApp(5, shop), '', '--access', 'public')
    expect(access).toMatchObject({ code: 2 })
    expect(access.stderr).toContain('the access of routes of Express is not known')
    const outside = await list(tmpdir())
    expect(outside.stderr).toContain('has no package.json, and neither has a folder above it')
  })

  it('stops waiting for an application that never finishes', async () => {
    const source =
      "const app = require('express')()\napp.get('/one', (req, res) => res.end())\nmodule.exports = app\n"
    const root = createApp(5, {
      'one.js': source,
      'app.mjs': "import './one.js'\nsetInterval(() => {}, 1000)\nawait new Promise(() => {})\n",
    })
    const { code, stderr, stdout } = await list(root)
    expect([code, stdout.includes('/one')]).toEqual([0, true])
    expect(stderr).toBe(
      '  warning: while loading: the application had not been loaded after 10 s\n',
    )
  })
})
