import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { createApiProgram } from '../src/lib/programs/api-program.ts'
import { createProject, readTree, runProgram } from './run-program.ts'

const closing = '// </api:mounts>'
const faults: readonly (readonly [fault: string, change: [string, string], fix: string])[] = [
  ['a missing marker', [closing, ''], 'put the markers back: npx --no-install api doctor --fix'],
  ['a doubled marker', [closing, `${closing}\n${closing}`], 'remove the wrong one by hand'],
  ['markers in the wrong order', ['// <api:mounts>', `${closing}\n// <api:mounts>`], 'by hand'],
  ['code that does not parse', ['createRegistry()', 'createRegistry('], 'correct it by hand'],
]

// What each command that needs the registry says.
async function collectFixes(cwd: string): Promise<readonly string[]> {
  const run = (...args: string[]) => runProgram(createApiProgram, args, { cwd })
  const generated = await run('generate', 'resource', 'posts')
  const destroyed = await run('destroy', 'resource', 'tags')
  expect([generated.code, destroyed.code]).toEqual([4, 4])
  return [generated.stderr, destroyed.stderr, (await run('doctor')).stdout]
}

describe('GEN-06: a registry that cannot be edited', () => {
  it.each(faults)('%s: names the fix', async (fault, [from, to], fix) => {
    const cwd = await createProject(['tags'])
    const registry = join(cwd, 'src/routes.ts')
    const source = readFileSync(registry, 'utf8')
    const rest = fault.includes('order') ? source.replace(`${closing}\n`, '') : source
    writeFileSync(registry, rest.replace(from, to))
    const before = readTree(cwd)
    for (const said of await collectFixes(cwd)) expect(said).toContain(fix)
    expect(readTree(cwd)).toEqual(before)
  })

  it('that is gone: names the fix', async () => {
    const cwd = await createProject(['tags'])
    rmSync(join(cwd, 'src/routes.ts'))
    const before = readTree(cwd)
    for (const said of await collectFixes(cwd)) expect(said).toContain('version control')
    expect(readTree(cwd)).toEqual(before)
  })
})
