import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { createApiProgram } from '../src/lib/programs/api-program.ts'
import { matrix } from './e2e/matrix.ts'
import { createProject, runProgram } from './run-program.ts'

const oxfmt = fileURLToPath(new URL('../../../node_modules/oxfmt/bin/oxfmt', import.meta.url))

describe('generated code', () => {
  it('is what oxfmt would write, for every type, modifier and name', async () => {
    const root = await createProject()
    // Names too long for a line are left to the project's formatter: the end-to-end test has one.
    const usual = matrix.filter(([name]) => name.length < 25)
    for (const [name, access, ...fields] of usual) {
      const args = ['generate', 'resource', name, ...fields, '--access', access]
      const { code, stderr } = await runProgram(createApiProgram, args, { cwd: root })
      expect({ code, stderr: code === 0 ? '' : stderr }).toEqual({ code: 0, stderr: '' })
    }
    const { stdout } = spawnSync(process.execPath, [oxfmt, '--check', '.'], { cwd: root })
    expect(stdout.toString()).toContain('All matched files use the correct format')
  })
})
