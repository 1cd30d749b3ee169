import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createApiProgram } from '../../src/lib/programs/api-program.ts'
import { readTree, runProgram } from '../run-program.ts'
import { matrix } from './matrix.ts'

const run = promisify(execFile)
const bin = fileURLToPath(new URL('../../bin/create-api.js', import.meta.url))

const everyType = [
  'title:string:max=80',
  'slug:string:unique',
  'text:text:optional',
  'code:string:match=^[A-Z]{3}$',
  'stars:int:min=1:max=5',
  'price:number:min=0',
  'weight:decimal:default=1.5',
  'shown:boolean:default=false',
  'startsAt:date',
  'endsAt:date:default=now',
  'contact:email',
  'site:url',
  'token:uuid:unique',
  'place:objectid',
  'author:ref:User',
  'data:object',
  'extra:any',
  'status:enum:draft,live',
  'tags:array:string',
  'marks:array:int:min=2',
]

let folder: string
let root: string
let before: Map<string, string>

// As a user has it: none of what vitest and npm tell the processes they start.
const env = Object.fromEntries(
  Object.entries(process.env).filter(([name]) => !/^(VITEST|NODE_ENV|npm_)/.test(name)),
)

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'create-api-e2e-'))
  const resources = ['--resource', 'posts title:string body:text published:boolean:default=false']
  const args = [bin, 'first', '--yes', '--pm', 'npm', '--client', ...resources]
  await run(process.execPath, args, { cwd: folder, env })
  // A project must survive being moved away from the checkout that made it.
  root = join(folder, 'my service')
  renameSync(join(folder, 'first'), root)
})

afterAll(() => rmSync(folder, { recursive: true, force: true }))

function npm(...args: string[]): Promise<{ stdout: string; stderr: string }> {
  return run('npm', args, { cwd: root, env, maxBuffer: 64 * 1024 * 1024 })
}

// Without `npm exec`, which takes longer than the command itself.
function api(...args: string[]): Promise<{ stdout: string; stderr: string }> {
  return run(join(root, 'node_modules/.bin/api'), args, { cwd: root, env })
}

// In this process, for commands that are repeated for each resource.
async function runApi(...args: string[]): Promise<string> {
  const { code, stderr, stdout } = await runProgram(createApiProgram, args, { cwd: root })
  expect({ code, stderr: code === 0 ? '' : stderr }).toEqual({ code: 0, stderr: '' })
  return stdout
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  server.close()
  await once(server, 'close')
  return typeof address === 'object' && address !== null ? address.port : 0
}

// Starts a program and waits until it says where it serves.
async function serve(
  command: readonly [string, ...string[]],
  cwd: string,
  more: Readonly<Record<string, string>> = {},
): Promise<{
  url: string
  said: string
  stop: (signal: NodeJS.Signals) => Promise<number | null>
}> {
  const port = await freePort()
  const [program, ...args] = command
  const child = spawn(program, args, { cwd, env: { ...env, ...more, PORT: String(port) } })
  let output = ''
  const url = await new Promise<string>((done, fail) => {
    const listen = (chunk: Buffer): void => {
      output += chunk.toString()
      const found = /serves (http:\S+)/.exec(output)?.[1]
      if (found !== undefined) done(found)
    }
    child.stdout.on('data', listen)
    child.stderr.on('data', listen)
    child.on('close', () => fail(new Error(`ended before it served: ${output}`)))
  })
  return {
    url,
    said: output,
    async stop(signal) {
      child.kill(signal)
      const [code] = await once(child, 'close')
      return code
    },
  }
}

describe('a project created from a checkout', () => {
  it('passes its own check, unedited', async () => {
    const { stdout } = await npm('run', 'check')
    expect(stdout).toContain('All matched files use the correct format')
    expect(stdout).toContain('src/resources/posts/posts.test.ts')
    expect(stdout).toContain('test/client.test.ts')
  })

  it('has a typed client whose check fails until it is written again', async () => {
    expect(readFileSync(join(root, 'src/client.ts'), 'utf8')).toContain(
      'readonly posts: PostsClient',
    )
    await api('generate', 'resource', 'drafts', 'title:string')
    await expect(npm('run', 'client:check')).rejects.toMatchObject({
      code: 1,
      stdout: expect.stringContaining('src/client.ts is older than the API.'),
    })
    await npm('run', 'client')
    await npm('run', 'client:check')
    await api('destroy', 'resource', 'drafts')
    await npm('run', 'client')
    expect((await run('git', ['status', '--porcelain'], { cwd: root })).stdout).toBe('')
  })

  describe('compiled, with another resource', () => {
    beforeAll(async () => {
      await api('generate', 'resource', 'comments', 'body:text', 'post:ref:Post')
      await npm('run', 'build')
    })

    const server = ['--env-file-if-exists=.env', 'dist/server.js']
    const noCodeOfText = '--disallow-code-generation-from-strings'

    it.each([
      ['as it is', [], {}],
      // Without colours morgan makes code as soon as it is loaded.
      [
        'without code generation from strings',
        [noCodeOfText],
        { ACCESS_LOG: 'json', NO_COLOR: '1' },
      ],
    ])('serves %s, and stops on SIGTERM', async (_where, flags, more) => {
      const { stop, url } = await serve([process.execPath, ...flags, ...server], root, more)
      const send = (path: string, body: object): Promise<Response> =>
        fetch(url + path, {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify(body),
        })
      const post = await send('/api/posts', { title: 'Hello', body: 'World' })
      expect(post.status).toBe(201)
      const { data } = (await post.json()) as { data: { id: string } }
      const comment = await send('/api/comments', { body: 'Nice', post: data.id })
      expect(comment.status).toBe(201)
      expect(await comment.json()).toMatchObject({ data: { body: 'Nice', post: data.id } })
      expect((await fetch(`${url}/health/ready`)).status).toBe(200)
      expect(await stop('SIGTERM')).toBe(0)
    })

    it.each(['', '1'])('refuses formats of morgan there, NO_COLOR=%s', async (NO_COLOR) => {
      await expect(
        serve([process.execPath, noCodeOfText, ...server], root, { NO_COLOR, ACCESS_LOG: 'dev' }),
      ).rejects.toThrow(
        'log format dev: morgan generates code from strings, which this process does not allow. Use json: ACCESS_LOG=json',
      )
    })
  })

  it('adds fields of every type, and migrates stored documents', async () => {
    await npm('run', 'client')
    before = readTree(root)
    await api('add', 'field', 'comments', ...everyType)
    const count = readdirSync(join(root, 'src/migrations')).length
    expect(count).toBeGreaterThan(15)
    const first = await api('migrate', 'up')
    // One comment of each service that ran above.
    expect(first.stdout.match(/^ {2}applied .* 2 documents$/gm)).toHaveLength(count)
    const second = await api('migrate', 'up')
    expect(second.stdout).toContain('Nothing to do.')
  })

  it('GEN-08: passes format, lint, types and tests with every kind of resource', async () => {
    for (const [name, access, ...fields] of matrix) {
      await runApi('generate', 'resource', name, ...fields, '--access', access)
    }
    const again = await api('generate', 'resource', matrix[0]?.[0] ?? '')
    expect(again.stdout).toContain('Nothing to do.')
    // Some of them belong to organizations.
    const app = join(root, 'src/app.ts')
    const text = readFileSync(app, 'utf8')
    const withTenants = text
      .replace('  routes,\n', '  routes,\n  tenants: createTenants(),\n')
      .replace(
        "from '@create-api/core/migrations'\n",
        "$&import { createTenants } from '@create-api/core/tenants'\n",
      )
    writeFileSync(app, withTenants)
    await npm('run', 'client')
    const { stdout } = await npm('run', 'check').finally(() => writeFileSync(app, text))
    expect(stdout).toContain('All matched files use the correct format')
    const folders = readdirSync(join(root, 'src/resources'))
    expect(folders.length).toBeGreaterThanOrEqual(matrix.length)
    for (const made of folders) expect(stdout).toContain(`src/resources/${made}/`)
  })

  it('is unchanged after its resources and fields are removed', async () => {
    for (const [name] of matrix) await runApi('destroy', 'resource', name)
    await api('remove', 'field', 'comments', ...everyType.map((field) => field.replace(/:.*/, '')))
    await npm('run', 'client')
    expect(readTree(root)).toEqual(before)
  })
})

describe('create-api --start', () => {
  it('serves immediately and exits with 0 when it is stopped', async () => {
    const resource = ['--resource', 'posts title:string']
    const args = [bin, 'started', '--yes', '--pm', 'npm', '--no-git', ...resource, '--start']
    const { said, stop, url } = await serve([process.execPath, ...args], folder)
    expect(said).toContain('started created in')
    expect(said).toContain('note: anyone may create, change and delete posts')
    const response = await fetch(`${url}/api/posts`)
    expect(await response.json()).toMatchObject({ data: [], meta: { total: 0 } })
    expect(await stop('SIGTERM')).toBe(0)
    expect(readFileSync(join(folder, 'started/package-lock.json'), 'utf8')).toContain('vendor/')
  })
})
