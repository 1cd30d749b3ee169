import { describe, expect, it } from 'vitest'
import { createApiProgram } from '../src/lib/programs/api-program.ts'
import {
  commitAll,
  type EarlierCommit,
  earlierCommits,
  git,
  resourcesOfEarlier,
  unpackEarlier,
} from './earlier-projects/unpack.ts'
import { createProject, readTree, type Result, runProgram } from './run-program.ts'

function api(cwd: string, ...args: readonly string[]): Promise<Result> {
  return runProgram(createApiProgram, args, { cwd })
}

async function createCurrent(commit: EarlierCommit): Promise<string> {
  const root = await createProject()
  for (const resource of resourcesOfEarlier(commit)) {
    expect(await api(root, 'generate', 'resource', ...resource)).toMatchObject({ code: 0 })
  }
  return root
}

describe.each(earlierCommits)('api upgrade of a project generated at %s', (commit) => {
  it('gives the project that the generator writes now, and a second run changes nothing', async () => {
    const root = unpackEarlier(commit)
    const { code, stderr, stdout } = await api(root, 'upgrade')
    expect({ code, stderr, stdout }).toMatchObject({ code: 0 })
    const expected = readTree(await createCurrent(commit))
    const upgraded = readTree(root)
    expect([...upgraded.keys()].toSorted()).toEqual([...expected.keys()].toSorted())
    for (const [path, text] of expected) {
      if (path !== '.api/manifest.json')
        expect({ path, text: upgraded.get(path) }).toEqual({ path, text })
    }
    commitAll(root)
    const again = await api(root, 'upgrade')
    expect(again.stdout).toContain('Nothing to do.')
    expect(git(root, 'status', '--porcelain')).toBe('')
  })
})
