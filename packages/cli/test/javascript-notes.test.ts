import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { createApiProgram } from '../src/lib/programs/api-program.ts'
import { createJavaScriptProject } from './javascript-project.ts'
import { runProgram } from './run-program.ts'

async function generate(manifest: object, settings: object = {}): Promise<string> {
  const root = createJavaScriptProject('commonjs', settings)
  writeFileSync(join(root, 'package.json'), JSON.stringify({ name: 'service', ...manifest }))
  rmSync(join(root, 'src/access.mjs'))
  writeFileSync(join(root, 'src/app.mjs'), '')
  const args = ['generate', 'resource', 'notes', 'title', '--tenant', '--access', 'rule:editors']
  const { stderr } = await runProgram(createApiProgram, args, { cwd: root })
  return stderr
}

const devDependencies = { vitest: '*' }

describe('the notes of a resource in JavaScript', () => {
  it('name the files of the project', async () => {
    const notes = await generate({ devDependencies })
    expect(notes).toContain('export it from src/access.mjs')
    expect(notes).toContain('import createTenants in src/app.mjs, and')
  })

  it.each([
    [{ test: 'vitest run' }, 'npm test -- notes'],
    [{ test: 'mocha', 'test:api': 'vitest run src/api' }, 'npm run test:api -- notes'],
    [{ test: 'mocha' }, 'npx vitest run notes'],
  ])('have the command of the tests for the scripts %j', async (scripts, command) => {
    const notes = await generate({ devDependencies, scripts })
    expect(notes).toContain(`next: ${command}\n`)
    expect(notes).not.toContain('imports Vitest')
  })

  it('say that Vitest is missing', async () => {
    const notes = await generate({ devDependencies: { mocha: '*' }, scripts: { test: 'mocha' } })
    expect(notes).toContain('the generated test imports Vitest')
    expect(notes).toContain('npm install --save-dev vitest')
    expect(notes).not.toContain('Jest')
  })

  it('say that Jest would run the test, unless its configuration excludes it', async () => {
    const jest = { devDependencies: { ...devDependencies, jest: '*' } }
    expect(await generate(jest)).toContain(
      "testPathIgnorePatterns: ['/node_modules/', '<rootDir>/src/resources/']",
    )
    const excluded = { ...jest, jest: { testPathIgnorePatterns: ['/src/'] } }
    expect(await generate(excluded)).not.toContain('Jest')
  })
})
