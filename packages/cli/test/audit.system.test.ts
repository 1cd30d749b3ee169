import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { createApiProgram } from '../src/lib/programs/api-program.ts'
import {
  addTenants,
  createLinkedProject,
  runGeneratedTests,
  runInProject,
  sourceEnv,
} from './linked-project.ts'
import { type Result, runProgram } from './run-program.ts'

function api(cwd: string, ...args: readonly string[]): Promise<Result> {
  return runProgram(createApiProgram, args, { cwd, env: sourceEnv })
}

const change = `
import { withDatabase } from '@create-api/core'
import { createDocument } from '@create-api/core/resource'
import { api } from './src/app.ts'
import { PostModel } from './src/resources/posts/posts.model.ts'
await withDatabase(api, () => createDocument(PostModel, { title: 'One' }, { scope: {} }))
`

const tamper = `
import { withDatabase } from '@create-api/core'
import { api } from './src/app.ts'
import { PostModel } from './src/resources/posts/posts.model.ts'
await withDatabase(api, () =>
  PostModel.db.collection('audit_entries').updateOne({}, { $set: { action: 'changed' } }))
`

// Of the remark of one post, below its path and that of another post.
const nestedHistory = `
import { createTestClient } from '@create-api/core/testing'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { api } from '../../app.ts'
const client = await createTestClient(api)
afterAll(() => client.stop())
it('serves the history of a nested document below its own parent only', async () => {
  const { headers } = await client.signUp({ roles: ['admin'] })
  const create = async (path: string) => {
    const { body } = await client.request.post(path).set(headers).send({ title: 'One' }).expect(201)
    return body.data.id
  }
  const [post, other] = [await create('/api/posts'), await create('/api/posts')]
  const remarks = '/api/posts/' + post + '/remarks'
  const id = await create(remarks)
  const read = (path: string) => client.request.get(path + '/' + id + '/history').set(headers)
  expect((await read(remarks).expect(200)).body.data).toMatchObject([{ action: 'created' }])
  await read('/api/posts/' + other + '/remarks').expect(404)
  await read('/api/posts/000000000000000000000000/remarks').expect(404)
  await client.request.delete(remarks + '/' + id).set(headers).expect(204)
  await read(remarks).expect(200)
  await read('/api/posts/' + other + '/remarks').expect(404)
})
`

describe('api generate resource --audit, and api audit', () => {
  it('records changes, lists and verifies them', async () => {
    const root = await createLinkedProject()
    addTenants(root)
    expect((await api(root, 'audit', 'list')).stderr).toContain('No model is audited')
    await api(root, 'generate', 'resource', 'posts', '--audit')
    await api(root, 'generate', 'resource', 'memos', '--audit', '--bulk', '--access', 'owner')
    await api(root, 'generate', 'resource', 'notes', '--audit', '--tenant', '--soft-delete')
    await api(root, 'generate', 'resource', 'remarks', '--audit', '--under', 'posts')
    const read = (name: string): string => readFileSync(join(root, `src/resources/${name}`), 'utf8')
    expect(read('posts/posts.model.ts')).toContain('auditChanges(PostModel)')
    expect(read('posts/posts.routes.ts')).toContain('withAudit(')
    expect(read('notes/notes.routes.ts')).toContain("{ access: memberRole('admin') }")
    expect(read('remarks/remarks.routes.ts')).toContain('{ scope: remarks.toScope }')
    expect((await api(root, 'generate', 'resource', 'posts')).stdout).not.toContain('replace')
    writeFileSync(join(root, 'src/resources/remarks/history.test.ts'), nestedHistory)
    await runInProject(root, change)
    const list = JSON.parse((await api(root, 'audit', 'list', '--model', 'Post', '--json')).stdout)
    expect(list.entries).toMatchObject([
      {
        collection: 'posts',
        sequence: 1,
        action: 'created',
        changes: [{ path: 'title', after: 'One' }],
      },
    ])
    expect(await api(root, 'audit', 'verify')).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('1 entry of 1 document: nothing was changed'),
    })
    await runInProject(root, tamper)
    const broken = await api(root, 'audit', 'verify', '--model', 'posts')
    expect(broken).toMatchObject({ code: 1, stdout: expect.stringContaining('entry_changed') })
    expect(await api(root, 'audit', 'verify', '--id', 'x')).toMatchObject({ code: 2 })
    runGeneratedTests(root)
  })
})
