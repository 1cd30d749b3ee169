import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { createApiProgram } from '../src/lib/programs/api-program.ts'
import { compile } from './compile-project.ts'
import { createLinkedProject } from './linked-project.ts'
import { runProgram } from './run-program.ts'

const accesses = [
  'public',
  'user',
  'owner',
  'role:admin',
  'rule:editors',
  'owner|role:admin',
  'read=public,create=user,update=owner,delete=role:admin',
  'list=rule:editors,get=owner,create=user,update=rule:editors,delete=rule:editors',
  'read=rule:editors,create=rule:editors,update=owner,delete=rule:editors',
]
const shapes = [
  [],
  ['--actions', 'list'],
  ['--actions', 'get'],
  ['--actions', 'create'],
  ['--actions', 'update,delete'],
  ['--tenant'],
  ['--tenant', '--actions', 'list'],
  ['--soft-delete'],
  ['--export'],
  ['--live'],
  ['--bulk'],
  ['--events'],
  ['--audit', '--bulk'],
  ['--audit', '--tenant', '--actions', 'get,update'],
  ['--bulk', '--actions', 'delete'],
  ['--tenant', '--soft-delete', '--actions', 'get,delete'],
  ['--under', 'parents'],
  ['--under', 'parents', '--actions', 'list'],
  ['--under', 'parents', '--export'],
  ['--under', 'parents', '--export', '--live'],
  ['--under', 'parents', '--bulk', '--soft-delete'],
  ['--under', 'parents', '--actions', 'delete'],
]
const fieldLists = [
  ['title', 'state:enum:draft,final'],
  ['note:text:optional', 'other:ref:Parent:optional'],
  ['other:ref:Parent', 'code:int:unique', '--no-timestamps'],
]

// References and parents that not everyone can read.
const related = [
  'nodes kind:enum:leaf,branch next:ref:Node --access owner',
  'owned title --access owner',
  'open title --access read=public,create=user,update=owner,delete=owner',
  'staff title --access role:admin',
  'ruled title --access get=rule:editors,list=user,create=user,update=owner,delete=owner',
  'lists title --actions list --access list=owner',
  'la title owned:ref:Owned open:ref:Open staff:ref:Staff --access owner',
  'lb title owned:ref:Owned:optional ruled:ref:Ruled:optional --access owner',
  'lc title ruled:ref:Ruled --access owner',
  'ld title lists:ref:List --access owner|role:admin',
  'ua title --under owned --access owner|role:admin',
  'ub title --under staff --access owner',
  'uc title --under ruled --access owner',
  'ud title --under ruled --access owner|role:admin',
  'ue title --under ruled --access owner|role:admin --actions list',
]

describe('generated resources', () => {
  it('compile with noUnusedLocals and noUnusedParameters, and have tests in every group', async () => {
    const root = await createLinkedProject()
    writeFileSync(
      join(root, 'src/access.ts'),
      "import { defineRule } from '@create-api/core'\n\nexport const editors = defineRule('editors', () => true)\n",
    )
    const generate = async (args: readonly string[]): Promise<void> => {
      const command = ['generate', 'resource', ...args]
      const { code, stderr } = await runProgram(createApiProgram, command, { cwd: root })
      if (code !== 0) expect(stderr).toMatch(/only members can be admitted|must, too|cannot/)
    }
    await generate(['parents', 'name'])
    for (const command of related) await generate(command.split(' '))
    let count = 0
    for (const from of ['path', 'header']) {
      const config = join(root, 'api.config.json')
      const before: object = JSON.parse(readFileSync(config, 'utf8'))
      writeFileSync(config, JSON.stringify({ ...before, tenants: from }))
      const chosen = shapes.filter((shape) => from === 'path' || shape.includes('--tenant'))
      for (const access of accesses) {
        for (const shape of chosen) {
          count += 1
          const fields = fieldLists[count % fieldLists.length] ?? []
          await generate([`r${count}s`, ...fields, '--access', access, ...shape])
        }
      }
    }
    const resources = readdirSync(join(root, 'src/resources'))
    expect(resources.length).toBeGreaterThan(90)
    const tests = resources.map((name) =>
      readFileSync(join(root, 'src/resources', name, `${name}.test.ts`), 'utf8'),
    )
    // A group without tests is an error of Vitest.
    expect(tests.filter((text) => /describe\(.*\{\}\)/.test(text))).toEqual([])
    expect(compile(root)).toEqual([])
  })
})
