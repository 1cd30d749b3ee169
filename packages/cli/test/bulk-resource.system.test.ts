import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { createApiProgram } from '../src/lib/programs/api-program.ts'
import { addTenants, createLinkedProject, runGeneratedTests } from './linked-project.ts'
import { createProject, readTree, type Result, runProgram } from './run-program.ts'

function generate(cwd: string, command: string): Promise<Result> {
  return runProgram(createApiProgram, ['generate', 'resource', ...command.split(' ')], { cwd })
}

describe('api generate resource --bulk', () => {
  it('writes bulk routes for resources of every kind, and remembers it', async () => {
    const root = await createLinkedProject()
    addTenants(root)
    for (const command of [
      'posts title body:text:optional --bulk --access owner',
      'comments body:text --under posts --bulk --access owner',
      'pages slug:string:unique title --key slug --bulk --soft-delete --export',
      'rows number:int:unique:min=1 title --key number --bulk',
      'wards name:string:unique --tenant --access owner --bulk',
      'tasks title at:day:optional --bulk --access read=public,create=user,update=owner|role:admin,delete=role:admin',
      'votes choice post:ref:Post:optional --bulk --actions create --access user',
      'marks label --bulk --actions list,delete --access user',
    ]) {
      expect(await generate(root, command)).toMatchObject({ code: 0 })
    }
    const read = (part: string): string =>
      readFileSync(join(root, `src/resources/posts/posts.${part}.ts`), 'utf8')
    expect(read('routes')).toContain('export const postsRouter = withBulk(')
    expect(read('model')).toContain("set('transactionAsyncLocalStorage', true)")
    expect((await generate(root, 'posts')).stdout).toContain('Nothing to do.')
    runGeneratedTests(root)
  }, 600_000)

  it('lists the bulk route', async () => {
    const root = await createProject()
    const { stdout } = await generate(root, 'posts title --bulk')
    expect(stdout).toMatch(/POST +\/api\/posts\/bulk/)
  })

  it('needs an action that changes documents', async () => {
    const root = await createProject()
    const before = readTree(root)
    const { code, stderr } = await generate(root, 'posts title --bulk --actions list,get')
    expect([code, readTree(root)]).toEqual([2, before])
    expect(stderr).toContain('--bulk needs one of the actions create, replace, update and delete')
  })
})
