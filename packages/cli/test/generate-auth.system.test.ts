import { describe, expect, it } from 'vitest'
import { createApiProgram } from '../src/lib/programs/api-program.ts'
import { compile } from './compile-project.ts'
import { createJavaScriptProject } from './javascript-project.ts'
import { createLinkedProject, runGeneratedTests } from './linked-project.ts'
import { runProgram } from './run-program.ts'

const choices = [
  '--factors totp,passkeys --providers google,microsoft,github,openid --links',
  '--providers openid',
]

async function generate(root: string, choice: string): Promise<void> {
  const args = ['generate', 'auth', ...choice.split(' ').filter(Boolean)]
  const { code, stderr } = await runProgram(createApiProgram, args, { cwd: root })
  expect([code, code === 0 ? '' : stderr]).toEqual([0, ''])
}

describe('what api generate auth writes', () => {
  it.each(choices)('compiles, and its tests pass: %s', async (choice) => {
    const root = await createLinkedProject()
    await generate(root, choice)
    expect(compile(root)).toEqual([])
    runGeneratedTests(root)
  })

  it('is JavaScript in a project in JavaScript', async () => {
    const root = createJavaScriptProject('commonjs')
    await generate(root, '--factors totp')
    expect(compile(root)).toEqual([])
    runGeneratedTests(root)
  })
})
