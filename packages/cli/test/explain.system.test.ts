import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { createApiProgram } from '../src/lib/programs/api-program.ts'
import { createLinkedJavaScript, sourceEnv } from './linked-project.ts'
import { runProgram } from './run-program.ts'

it('api explain explains codes that the application declares', async () => {
  const cwd = await createLinkedJavaScript()
  const app = join(cwd, 'src/app.js')
  const source = readFileSync(app, 'utf8')
  const declared = "defineErrors({ quota_exceeded: { status: 402, title: 'The quota is used.' } })"
  writeFileSync(app, `import { defineErrors } from '@create-api/core'\n${source}\n${declared}\n`)
  const explain = (name: string) =>
    runProgram(createApiProgram, ['explain', name, '--json'], { cwd, env: sourceEnv })
  expect(JSON.parse((await explain('quota_exceeded')).stdout).found).toEqual([
    {
      kind: 'own-error',
      code: 'quota_exceeded',
      status: 402,
      title: 'The quota is used.',
      page: 'errors.md#codes-of-the-application',
    },
  ])
  const { code, stdout } = await explain('quota_exceded')
  expect(code).toBe(2)
  expect(JSON.parse(stdout).error.hint).toBe('did you mean "quota_exceeded"?')
})
