import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { createApiProgram } from '../src/lib/programs/api-program.ts'
import { createLinkedProject, runGeneratedTests } from './linked-project.ts'
import { createProject, readTree, type Result, runProgram } from './run-program.ts'

function generate(cwd: string, command: string): Promise<Result> {
  return runProgram(createApiProgram, ['generate', 'resource', ...command.split(' ')], { cwd })
}

describe('api generate resource --export', () => {
  it('writes lists that are sent as CSV and NDJSON, and remembers it', async () => {
    const root = await createLinkedProject()
    for (const command of [
      'posts title body:text:optional --export --access owner',
      'comments body:text --under posts --export --access owner',
      // The names of the framework's functions.
      'csvs title --export',
      'ndjsons title --export --actions list',
    ]) {
      expect(await generate(root, command)).toMatchObject({ code: 0 })
    }
    const read = (part: string): string =>
      readFileSync(join(root, `src/resources/posts/posts.${part}.ts`), 'utf8')
    expect(read('routes')).toContain('formats: [csv(), ndjson()]')
    expect(read('controller')).toContain(
      'await sendList(res, req.valid.query, (query) => service.list(query, { scope: req.scope }))',
    )
    expect((await generate(root, 'posts')).stdout).toContain('Nothing to do.')
    runGeneratedTests(root)
  })

  it('needs a list', async () => {
    const root = await createProject()
    const before = readTree(root)
    const { code, stderr } = await generate(root, 'posts title --export --actions get')
    expect([code, readTree(root)]).toEqual([2, before])
    expect(stderr).toContain('--export needs the action list')
  })
})
