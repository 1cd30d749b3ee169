import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { createApiProgram } from '../src/lib/programs/api-program.ts'
import { compile } from './compile-project.ts'
import { addTenants, createLinkedProject, runGeneratedTests, sourceEnv } from './linked-project.ts'
import { createProject, readTree, type Result, runProgram } from './run-program.ts'

function run(cwd: string, command: string): Promise<Result> {
  return runProgram(createApiProgram, command.split(' '), { cwd, env: sourceEnv })
}

describe('api generate resource --live', () => {
  it('writes live lists for resources of every kind, and remembers it', async () => {
    const root = await createLinkedProject([], true)
    addTenants(root)
    for (const command of [
      'posts title body:text:optional --live --access owner',
      'comments body:text --under posts --live --export --soft-delete --access owner',
      'wards name:string:unique --tenant --access owner --live',
      // The name of the framework's function.
      'live title --live --actions list',
    ]) {
      expect(await run(root, `generate resource ${command}`)).toMatchObject({ code: 0 })
    }
    const read = (part: string): string =>
      readFileSync(join(root, `src/resources/comments/comments.${part}.ts`), 'utf8')
    expect(read('controller')).toContain(
      'export const changes = live(service.list, { scope: toScope })',
    )
    expect(read('routes')).toContain('live: comments.changes')
    expect((await run(root, 'generate resource posts')).stdout).toContain('Nothing to do.')
    expect(await run(root, 'client')).toMatchObject({ code: 0, stderr: '' })
    expect(readFileSync(join(root, 'src/client.ts'), 'utf8')).toContain('changes(')
    expect(compile(root)).toEqual([])
    runGeneratedTests(root)
  })

  it('lists the route', async () => {
    const root = await createProject()
    const { stdout } = await run(root, 'generate resource posts title --live')
    expect(stdout).toMatch(/GET +\/api\/posts\/changes/)
  })

  it('needs a list', async () => {
    const root = await createProject()
    const before = readTree(root)
    const { code, stderr } = await run(root, 'generate resource posts title --live --actions get')
    expect([code, readTree(root)]).toEqual([2, before])
    expect(stderr).toContain('--live needs the action list')
  })
})
