import { describe, expect, it } from 'vitest'
import { createApiProgram } from '../src/lib/programs/api-program.ts'
import { compile } from './compile-project.ts'
import { createJavaScriptProject } from './javascript-project.ts'
import { createLinkedProject, runGeneratedTests } from './linked-project.ts'
import { runProgram } from './run-program.ts'

async function generate(root: string): Promise<void> {
  const args = ['generate', 'webhooks']
  const { code, stderr } = await runProgram(createApiProgram, args, { cwd: root })
  expect([code, code === 0 ? '' : stderr]).toEqual([0, ''])
}

describe('what api generate webhooks writes', () => {
  it('compiles, and its test passes', async () => {
    const root = await createLinkedProject()
    await generate(root)
    expect(compile(root)).toEqual([])
    runGeneratedTests(root)
  })

  it('is JavaScript in a project in JavaScript', async () => {
    const root = createJavaScriptProject('commonjs')
    await generate(root)
    expect(compile(root)).toEqual([])
  })
})
