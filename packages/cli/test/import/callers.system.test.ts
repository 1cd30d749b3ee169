import { startEmbeddedMongo } from '@create-api/embedded-mongo'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { addOption } from '../linked-project.ts'
import { createImportProject, type ImportProject } from './import-project.ts'

async function createUser({ api }: ImportProject, email: string): Promise<void> {
  const args = ['users', 'create', '--email', email, '--password-stdin']
  expect((await api(args, 'TestRiver42!')).code).toBe(0)
}

describe('api import', () => {
  it('creates the documents as a user, whose session ends, or as the caller of a header', async () => {
    const project = await createImportProject(['posts', 'title:string', '--access', 'owner'])
    project.write('posts.csv', 'title\nOne\n')
    const anonymous = await project.api(['import', 'posts', 'posts.csv'])
    expect(anonymous.stderr).toContain('the service rejects every request: 401')
    expect(anonymous.stderr).toContain('--as <email>')
    expect(anonymous.code).toBe(1)
    const header = ['--header', 'Authorization: Bearer none']
    const byHeader = await project.api(['import', 'posts', 'posts.csv', ...header, '--restart'])
    expect(byHeader.stderr).toContain('the service rejects every request: 401')
    const unknown = await project.api(['import', 'posts', 'posts.csv', '--as', 'eve@example.com'])
    expect(unknown.stderr).toContain('there is no user eve@example.com')
    await createUser(project, 'ada@example.com')
    const asUser = ['import', 'posts', 'posts.csv', '--as', 'ada@example.com', '--restart']
    expect((await project.api(asUser)).code).toBe(0)
    const list = ['request', 'GET', '/api/posts', '--as', 'ada@example.com', '--json']
    expect(JSON.parse((await project.api(list)).stdout).body.data).toMatchObject([{ title: 'One' }])
    const sessions = [
      'request',
      'GET',
      '/api/v1/auth/sessions',
      '--as',
      'ada@example.com',
      '--json',
    ]
    expect(JSON.parse((await project.api(sessions)).stdout).body.data).toHaveLength(1)
  })

  it('checks references, also in a dry run, and takes the path of a nested resource', async () => {
    const project = await createImportProject(['authors', 'name:string'])
    await project.api([
      'generate',
      'resource',
      'books',
      'title:string',
      '--under',
      'authors',
      '--export',
    ])
    await project.api(['generate', 'resource', 'loans', 'author:ref:Author', '--export'])
    project.write('authors.csv', 'name\nAda\n')
    expect((await project.api(['import', 'authors', 'authors.csv'])).code).toBe(0)
    const [{ id } = {}] = await project.list('/api/authors')
    project.write('loans.csv', `author\n${String(id)}\n000000000000000000000000\n`)
    const dry = await project.api(['import', 'loans', 'loans.csv', '--dry-run'])
    expect(dry.stdout).toContain('author does not exist  (line 3)')
    const real = await project.api(['import', 'loans', 'loans.csv'])
    expect(real.stdout).toContain('created    1 document\n  rejected   1 line')
    project.write('books.csv', 'title\nOne\n')
    const byName = await project.api(['import', 'books', 'books.csv'])
    expect(byName.stderr).toContain('pass the path instead of the name: /api/authors/<id>/books')
    expect(byName.code).toBe(2)
    const path = `/api/authors/${String(id)}/books`
    expect((await project.api(['import', path, 'books.csv'])).code).toBe(0)
    expect(await project.list(path)).toMatchObject([{ title: 'One' }])
    const absent = '/api/authors/000000000000000000000000/books'
    const none = await project.api(['import', absent, 'books.csv', '--restart'])
    expect(none.stderr).toContain('the service rejects every request: 404')
  })

  it('names a database that is not embedded, and writes to it only when confirmed', async () => {
    const mongo = await startEmbeddedMongo({ storage: { memory: true } })
    onTestFinished(() => mongo.stop())
    const project = await createImportProject(['posts', 'title:string'])
    project.write('posts.csv', 'title\nOne\n')
    const env = { MONGODB_URI: mongo.uri.replace('/app?', '/shop?') }
    const args = ['import', 'posts', 'posts.csv']
    const asked = await project.api(args, '', env)
    expect(asked.stderr).toMatch(/the documents would be created in the database \S+\/shop/)
    expect(asked.stderr).toContain('to confirm: --yes')
    expect(asked.code).toBe(2)
    const confirmed = await project.api([...args, '--yes'], '', env)
    expect(confirmed.stdout).toContain('created    1 document')
    const other = await project.api([...args], '')
    expect(other.stderr).toContain('since then, the database changed')
    expect(other.code).toBe(3)
  })

  it('waits for a rate limit of the application', async () => {
    const project = await createImportProject(['posts', 'title:string'])
    addOption(project.root, "rateLimit: { limit: 5, window: '2s' }")
    project.write('posts.csv', `title\n${'One\n'.repeat(12)}`)
    const { code, stderr } = await project.api(['import', 'posts', 'posts.csv'])
    expect(stderr).toMatch(/the service returns 429; waiting for \d s/)
    expect(code).toBe(0)
    expect(await project.list('/api/posts')).toHaveLength(12)
  })

  it.each([
    ['auth: false', ['--as', 'ada@example.com'], 'authentication is disabled (auth: false)'],
    ['openapi: false', [], 'the application has no OpenAPI document (openapi: false)'],
    ['auth: false,\n  database: false', [], 'the application has no database (database: false)'],
  ])('rejects an application with %s', async (option, flags, message) => {
    const project = await createImportProject(['posts', 'title:string'])
    addOption(project.root, option)
    project.write('posts.csv', 'title\nOne\n')
    const { code, stderr } = await project.api(['import', 'posts', 'posts.csv', ...flags])
    expect(stderr).toContain(message)
    expect(code).toBe(1)
  })

  it('reports an application that cannot be imported or exits, and a database in memory', async () => {
    const project = await createImportProject(['posts', 'title:string'])
    project.write('posts.csv', 'title\nOne\n')
    const args = ['import', 'posts', 'posts.csv']
    const inMemory = await project.api(args, '', { MONGODB_URI: 'embedded:memory' })
    expect(inMemory.stderr).toContain('the database is in memory, so the documents would be lost')
    expect(inMemory.code).toBe(2)
    const app = join(project.root, 'src/app.js')
    writeFileSync(app, "throw new Error('no license')")
    expect((await project.api(args)).stderr).toContain('no license')
    writeFileSync(app, "console.error('bye')\nprocess.exit(3)")
    const { code, stderr } = await project.api(args)
    expect(stderr).toContain('the application has exited\n  bye')
    expect(code).toBe(1)
  })
})
