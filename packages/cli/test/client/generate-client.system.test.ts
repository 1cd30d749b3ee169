import { mkdirSync, readFileSync, rmSync, unlinkSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { type AddressInfo } from 'node:net'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { version } from '../../src/lib/package/own-package.ts'
import { createApiProgram } from '../../src/lib/programs/api-program.ts'
import { createProjectProgram } from '../../src/lib/programs/create-program.ts'
import { createLinkedProject, sourceEnv } from '../linked-project.ts'
import { createTemporaryFolder, readTree, type Result, runProgram } from '../run-program.ts'
import { readBlogDocument } from './blog-document.ts'

function api(cwd: string, ...args: string[]): Promise<Result> {
  return runProgram(createApiProgram, args, { cwd, env: sourceEnv })
}

function createApi(cwd: string, ...args: string[]): Promise<Result> {
  return runProgram(createProjectProgram, args, { cwd })
}

function read(root: string, path: string): string {
  return readFileSync(join(root, path), 'utf8')
}

describe('api client', () => {
  it('writes the client of the application, and checks that it is up to date', async () => {
    const root = await createLinkedProject(['posts title:string'])
    const missing = await api(root, 'client', '--check')
    expect([missing.code, missing.stdout]).toEqual([1, '\n  src/client.ts does not exist.\n\n'])
    const written = await api(root, 'client')
    expect([written.code, written.stdout]).toEqual([0, '\n  create     src/client.ts\n\n'])
    const text = read(root, 'src/client.ts')
    expect(text).toContain('readonly posts: PostsClient')
    const current = await api(root, 'client', '--check')
    expect([current.code, current.stdout]).toEqual([0, '\n  src/client.ts is up to date.\n\n'])
    expect((await api(root, 'client')).stdout).toContain('unchanged')
    expect(read(root, 'src/client.ts')).toBe(text)
    await api(root, 'generate', 'resource', 'tags', 'name:string')
    const older = await api(root, 'client', '--check')
    expect([older.code, older.stdout]).toEqual([1, '\n  src/client.ts is older than the API.\n\n'])
    expect(older.stderr).toContain('next: npx --no-install api client')
  })

  it('writes to another folder, and never over a file that it did not write', async () => {
    const root = await createLinkedProject(['posts title:string'])
    mkdirSync(join(root, 'web'))
    writeFileSync(join(root, 'web/own.ts'), 'export {}\n')
    const refused = await api(root, 'client', '--out', 'web/own.ts')
    expect([refused.code, refused.stderr]).toEqual([
      3,
      'error: web/own.ts was not written by this command\n  choose another file with --out\n',
    ])
    const { code, stdout } = await api(join(root, 'web'), 'client', '--out', 'api.ts', '--json')
    expect([code, JSON.parse(stdout)]).toMatchObject([
      0,
      { command: 'client', file: 'api.ts', omissions: [] },
    ])
    expect(read(root, 'web/api.ts')).toContain('createClient')
  })
})

describe('the package that a client imports', () => {
  const file = `create-api-client-${version}.tgz`

  it('is installed from the folder vendor of a project that was made from a clone', async () => {
    const root = await createLinkedProject(['posts title:string'])
    unlinkSync(join(root, 'node_modules'))
    mkdirSync(join(root, 'vendor'))
    writeFileSync(join(root, 'vendor', file), '')
    writeFileSync(join(root, 'openapi.json'), JSON.stringify(readBlogDocument()))
    const inProject = await api(root, 'client', 'openapi.json')
    expect(inProject.stderr).toBe(`  next: npm install ./vendor/${file}\n`)
    mkdirSync(join(root, '../web page'), { recursive: true })
    const beside = await api(root, 'client', 'openapi.json', '--out', '../web page/client.ts')
    expect(beside.stderr).toBe(`  next: npm install ./vendor/${file}\n`)
    rmSync(join(root, '../web page'), { recursive: true })
  })

  it('is not mentioned where it is installed', async () => {
    const root = await createLinkedProject(['posts title:string'])
    writeFileSync(join(root, 'openapi.json'), JSON.stringify(readBlogDocument()))
    expect((await api(root, 'client', 'openapi.json')).stderr).toBe('')
  })
})

describe('create-api client', () => {
  it('writes the client of a document in a file or at a URL', async () => {
    const folder = createTemporaryFolder()
    const text = JSON.stringify(readBlogDocument())
    writeFileSync(join(folder, 'openapi.json'), text)
    const server = createServer((req, res) => {
      res.statusCode = req.url === '/openapi.json' ? 200 : 404
      res.end(text)
    })
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
    onTestFinished(() => void server.close())
    const { port } = server.address() as AddressInfo
    const url = `http://127.0.0.1:${port}/openapi.json`
    expect(await createApi(folder, 'client', 'openapi.json', '--out', 'a/api.ts')).toEqual({
      code: 0,
      stdout: '\n  create     a/api.ts\n\n',
      // From the clone that runs these tests, if its packages have been built.
      stderr: expect.stringMatching(/^ {2}next: npm install (@create-api\/client|\S+\.tgz)\n$/),
    })
    expect((await createApi(folder, 'client', url, '--out', 'b/api.ts')).code).toBe(0)
    expect(read(folder, 'a/api.ts')).toBe(read(folder, 'b/api.ts'))
    expect((await createApi(folder, 'client', url, '--out', 'b/api.ts', '--check')).code).toBe(0)
    expect([...readTree(folder).keys()].toSorted()).toEqual([
      'a/api.ts',
      'b/api.ts',
      'openapi.json',
    ])
    const absent = await createApi(folder, 'client', `${url}x`)
    expect([absent.code, absent.stderr]).toEqual([2, `error: ${url}x cannot be read: status 404\n`])
  })

  it.each(['api.js', 'api.mjs'])('writes JavaScript to %s', async (file) => {
    const folder = createTemporaryFolder()
    writeFileSync(join(folder, 'openapi.json'), JSON.stringify(readBlogDocument()))
    const args = ['client', 'openapi.json', '--out', file]
    expect((await createApi(folder, ...args)).code).toBe(0)
    const text = read(folder, file)
    expect(text).toContain("import { createApiClient } from '@create-api/client'\n")
    expect(text).toContain('@param {ClientOptions} options - URL, session, retries and hooks\n')
    expect(text).toContain('\nexport function createClient(options) {\n')
    expect((await createApi(folder, ...args, '--check')).code).toBe(0)
  })

  it.each([
    ['absent.json', undefined, 'there is no file absent.json'],
    ['a.yaml', 'openapi: 3.1.0', 'a.yaml is not JSON'],
    ['a.json', '{"openapi":"2.0"}', 'the document is OpenAPI 2.0'],
  ])('refuses %s', async (name, text, message) => {
    const folder = createTemporaryFolder()
    if (text !== undefined) writeFileSync(join(folder, name), text)
    const { code, stderr } = await createApi(folder, 'client', name)
    expect([code, stderr]).toEqual([2, expect.stringContaining(message)])
  })

  it('needs a source', async () => {
    const { code, stderr } = await createApi(createTemporaryFolder(), 'client')
    expect([code, stderr]).toEqual([
      2,
      expect.stringContaining("missing required argument 'source'"),
    ])
  })
})
