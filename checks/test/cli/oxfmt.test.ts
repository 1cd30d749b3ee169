import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { packageManagers } from '../../../packages/cli/src/lib/create/package-manager.ts'
import { createProjectProgram } from '../../../packages/cli/src/lib/programs/create-program.ts'
import { createApiProgram } from '../../../packages/cli/src/lib/programs/api-program.ts'
import { matrix } from '../../../packages/cli/test/e2e/matrix.ts'
import {
  createProject,
  createTemporaryFolder,
  runProgram,
} from '../../../packages/cli/test/run-program.ts'

const program = fileURLToPath(new URL('../../node_modules/oxfmt/bin/oxfmt', import.meta.url))

function check(folder: string, ...paths: string[]): string {
  const args = [program, '--check', '.', ...paths]
  return execFileSync(process.execPath, args, { cwd: folder }).toString()
}

const correct = 'All matched files use the correct format'

// The generator formats with another formatter, which is built in.
describe('oxfmt changes nothing of', () => {
  it.each(packageManagers)('a new project, with %s', async (manager) => {
    const cwd = createTemporaryFolder()
    const args = ['my-service', '--yes', '--no-install', '--no-git', '--pm', manager]
    expect((await runProgram(createProjectProgram, args, { cwd })).code).toBe(0)
    expect(check(path.join(cwd, 'my-service'))).toContain(correct)
  })

  it('generated code, for every type, modifier and name', async () => {
    const root = await createProject()
    // Names too long for a line are left to the project's formatter: the end-to-end test has one.
    const usual = matrix.filter(([name]) => name.length < 25)
    for (const [name, access, ...fields] of usual) {
      const args = ['generate', 'resource', name, ...fields, '--access', access]
      const { code, stderr } = await runProgram(createApiProgram, args, { cwd: root })
      expect({ code, stderr: code === 0 ? '' : stderr }).toEqual({ code: 0, stderr: '' })
    }
    expect(check(root)).toContain(correct)
  })

  it('examples/blog, by its own settings', () => {
    const blog = fileURLToPath(new URL('../../../examples/blog/', import.meta.url))
    expect(existsSync(path.join(blog, '.oxfmtrc.json'))).toBe(true)
    // Its client has the layout of the built-in formatter, which differs in long unions.
    expect(check(blog, '!src/client.ts')).toContain(correct)
  })
})
