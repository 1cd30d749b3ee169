import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { createApiProgram } from '../src/lib/programs/api-program.ts'
import { createLinkedJavaScript, createLinkedProject, sourceEnv } from './linked-project.ts'
import { type Result, runProgram } from './run-program.ts'

function api(cwd: string, ...args: string[]): Promise<Result> {
  return runProgram(createApiProgram, args, { cwd, env: sourceEnv })
}

describe('api routes', () => {
  it('lists routes with access, schemas and lines, and filters them', async () => {
    const root = await createLinkedProject(['posts title:string'])
    const routes = readFileSync(join(root, 'src/resources/posts/posts.routes.ts'), 'utf8')
    const lines = routes.split('\n')
    const line = lines.findIndex((text) => text.includes('post(')) + 1
    const { code, stdout } = await api(root, 'routes', '/api/posts', '--method', 'post')
    expect(code).toBe(0)
    expect(stdout.split('\n')[1]?.split(/ {2,}/)).toEqual([
      'POST',
      '/api/posts',
      'public',
      'create',
      'body=createPost',
      `src/resources/posts/posts.routes.ts:${line}`,
    ])
    expect(stdout).toContain('1 route, 1 public write')
    const json = await api(root, 'routes', '--path', '/api/v1', '--access', 'user', '--json')
    const document = JSON.parse(json.stdout)
    expect(document).toMatchObject({ ok: true, command: 'routes' })
    expect(document.routes.map((route: { access: string }) => route.access)).toContain('user')
    expect(json.stdout).not.toContain('/api/posts')
  })

  it('does not count the routes of authentication as public writes, at any path', async () => {
    const root = await createLinkedProject([])
    const app = join(root, 'src/app.ts')
    const source = readFileSync(app, 'utf8')
    const moved = source.replace('createApi({', "createApi({ auth: { routes: { path: '/id' } },")
    expect(moved).not.toBe(source)
    writeFileSync(app, moved)
    const { stdout } = await api(root, 'routes', '--json')
    const { routes } = JSON.parse(stdout)
    expect(routes).toContainEqual(
      expect.objectContaining({ method: 'POST', path: '/id/login', publicWrite: false }),
    )
  })

  it('verifies routes, and rejects filters that match no route', async () => {
    const root = await createLinkedProject(['posts title:string'])
    mkdirSync(join(root, 'src/resources/tags'))
    writeFileSync(join(root, 'src/resources/tags/tags.routes.ts'), '')
    const { code, stderr } = await api(root, 'routes', '--verify')
    expect(code).toBe(1)
    expect(stderr).toContain('anyone may write: POST /api/posts')
    expect(stderr).toContain('the routes of tags are not mounted')
    const wrong = await api(root, 'routes', '--method', 'pots')
    expect(wrong.code).toBe(2)
    expect(wrong.stderr).toContain('did you mean "POST"?')
  })

  it('accepts the public writes that the project lists', async () => {
    const root = await createLinkedJavaScript('posts title:string')
    const config = join(root, 'api.config.json')
    const settings: object = JSON.parse(readFileSync(config, 'utf8'))
    const list = (...publicWrites: readonly string[]): void =>
      writeFileSync(config, JSON.stringify({ ...settings, publicWrites }))
    const writes = ['POST /api/posts', 'PUT /api/posts/:id', 'PATCH /api/posts/:id']
    list(...writes, 'POST /api/login')
    const { code, stderr } = await api(root, 'routes', '--verify')
    expect(code).toBe(1)
    expect(stderr.split('\n')).toEqual([
      '  warning: anyone may write: DELETE /api/posts/:id',
      '  warning: api.config.json lists POST /api/login, which is not a route that anyone may write with',
      '',
    ])
    list(...writes, 'DELETE /api/posts/:id')
    expect(await api(root, 'routes', '--verify')).toMatchObject({ code: 0, stderr: '' })
    const { stdout } = await api(root, 'doctor', '--json')
    expect(stdout).toContain('routes and a valid environment')
    expect(stdout).not.toContain('anyone may write')
  })
})

describe('an application that cannot be imported', () => {
  const refused = 'error: the application could not be imported\n'
  const cases: readonly (readonly [source: string, stderr: string])[] = [
    ["throw new Error('no luck')", `${refused}  no luck\n    at <anonymous> (src/app.ts:1:7)\n`],
    ['nothing()', `${refused}  ReferenceError: nothing is not defined\n    at <anonymous>`],
    ['const (', `${refused}  Transform failed with 1 error:\n  src/app.ts:1:6: ERROR: Expected`],
    [
      "import 'redsi'",
      `${refused}  Cannot find package 'redsi' imported from src/app.ts\n  package.json does not list redsi among its dependencies\n`,
    ],
    [
      "import { createApi } from '@create-api/core'\nprocess.env.PORT = 'x'\ncreateApi({})",
      `${refused}  The configuration cannot be used:\n    PORT  must be`,
    ],
    [
      "console.log('going')\nprocess.exit(0)",
      'error: the application exited while it was imported\n  going\n',
    ],
  ]

  it.each(cases)('%s', async (source, expected) => {
    const root = await createLinkedProject()
    writeFileSync(join(root, 'src/app.ts'), `${source}\n`)
    const { code, stderr, stdout } = await api(root, 'routes')
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
    expect(stderr).toContain(expected)
  })
})

describe('an application that imports a package', () => {
  it('of its package.json that is not installed says how to install it', async () => {
    const root = await createLinkedProject()
    const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
    manifest.dependencies['@acme/mail'] = '^1.0.0'
    writeFileSync(join(root, 'package.json'), JSON.stringify(manifest))
    writeFileSync(join(root, 'src/app.ts'), "import '@acme/mail/templates'\n")
    const { stderr } = await api(root, 'routes')
    expect(stderr).toMatch(/Cannot find package '@acme\/mail' imported from .*\n {2}npm install\n$/)
  })
})

describe('api openapi', () => {
  it('writes the document, and reports what would break its clients', async () => {
    const root = await createLinkedJavaScript('posts title:string body:text:optional')
    const missing = await api(root, 'openapi', '--check')
    expect(missing.code).toBe(2)
    expect(missing.stderr).toContain(
      'openapi.json does not exist, so there is nothing to compare with',
    )
    expect((await api(root, 'openapi', '--write')).stdout).toContain('  create     openapi.json')
    const same = await api(root, 'openapi', '--check')
    expect(same.code).toBe(0)
    expect(same.stdout).toContain('No difference for clients.')
    await api(root, 'remove', 'field', 'posts', 'body')
    await api(root, 'add', 'field', 'posts', 'price:number', 'note:text:optional')
    const broken = await api(root, 'openapi', '--check')
    expect(broken.code).toBe(1)
    expect(broken.stdout).toContain('  POST /api/posts\n')
    expect(broken.stdout).toContain(
      '    ✗ body.price: new and required   (input-property-required)',
    )
    expect(broken.stdout).toContain('    ✗ 201.data.body: removed   (output-property-removed)')
    expect(broken.stdout).toContain('    ✓ body.note: new   (input-property-added)')
    const json = await api(root, 'openapi', '--check', 'openapi.json', '--json')
    expect(json.code).toBe(1)
    expect(JSON.parse(json.stdout)).toMatchObject({
      ok: false,
      command: 'openapi --check',
      file: 'openapi.json',
      breaking: expect.any(Number),
      differences: expect.arrayContaining([
        {
          rule: 'input-property-required',
          breaking: true,
          operation: 'POST /api/posts',
          at: 'body.price',
          message: 'new and required',
        },
      ]),
    })
  })

  it('allows the removal of routes after their sunset only', async () => {
    const root = await createLinkedJavaScript('posts title:string', 'notes title:string')
    const deprecate = (name: string, deprecated: string): void => {
      const file = join(root, `src/resources/${name}/${name}.routes.js`)
      const source = readFileSync(file, 'utf8')
      const changed = source.replace("{ access: 'public',", `{ access: 'public', ${deprecated},`)
      expect(changed).not.toBe(source)
      writeFileSync(file, changed)
    }
    deprecate('posts', "deprecated: { since: '2020-01-01', sunset: '2020-12-31' }")
    deprecate('notes', "deprecated: { since: '2020-01-01', sunset: '2999-12-31' }")
    const doctor = await api(root, 'doctor', '--json')
    expect(doctor.stdout).toContain('GET /api/posts is served after its sunset of 2020-12-31')
    expect(doctor.stdout).not.toContain('/api/notes is served')
    await api(root, 'openapi', '--write')
    await api(root, 'destroy', 'resource', 'posts', '--force')
    const allowed = await api(root, 'openapi', '--check')
    expect(allowed).toMatchObject({ code: 0 })
    expect(allowed.stdout).toContain(
      '  GET /api/posts\n    ✓ removed after its sunset 2020-12-31   (operation-sunset)',
    )
    await api(root, 'destroy', 'resource', 'notes', '--force')
    const refused = await api(root, 'openapi', '--check')
    expect(refused.code).toBe(1)
    expect(refused.stdout).toContain(
      '  GET /api/notes\n    ✗ removed before its sunset 2999-12-31   (operation-removed)',
    )
  })

  it('rejects a file that is not a document', async () => {
    const root = await createLinkedJavaScript()
    writeFileSync(join(root, 'openapi.json'), '{')
    const { code, stderr } = await api(root, 'openapi', '--check')
    expect(code).toBe(2)
    expect(stderr).toContain('openapi.json is not JSON')
    expect((await api(root, 'openapi', '--check', '--write')).code).toBe(2)
  })
})
