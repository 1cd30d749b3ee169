import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { createApiProgram } from '../src/lib/programs/api-program.ts'
import { parseAccess, toAccessCode } from '../src/lib/resource/access.ts'
import { createProject, type Result, runProgram } from './run-program.ts'

function generate(cwd: string, command: string): Promise<Result> {
  return runProgram(createApiProgram, ['generate', 'resource', ...command.split(' ')], { cwd })
}

describe('--access', () => {
  it('reads one access for all actions, or one for each', () => {
    expect(parseAccess('owner').of.delete).toEqual(['owner'])
    const { of } = parseAccess('write=owner,read=public,delete=role:admin|rule:editors')
    expect(of).toEqual({
      list: ['public'],
      get: ['public'],
      create: ['owner'],
      replace: ['owner'],
      update: ['owner'],
      delete: ['role:admin', 'rule:editors'],
    })
    expect(toAccessCode(of.delete, false)).toBe("any('admin', editors)")
    expect(toAccessCode(of.delete, true)).toBe("all(member, any('admin', editors))")
    const { of: partial } = parseAccess('list=public,update=user', ['list', 'update', 'replace'])
    expect(partial.replace).toEqual(['user'])
  })

  it.each([
    ['usr', /Did you mean user/],
    ['nope', /no such access/],
    ['role:', /no such access/],
    ['owner|public', /"public" includes the others/],
    ['list=public', /does not say who may get/],
    ['list=', /actions: list, get, create/],
    ['lst=public', /is not <action>=<who>/],
    ['constructor=public', /is not <action>=<who>/],
    ['__proto__=public', /is not <action>=<who>/],
    ['read=public,create=public,update=owner,delete=owner', /have no owner/],
  ])('refuses %s with what to do', (text, message) => {
    expect(() => parseAccess(text)).toThrow()
    try {
      parseAccess(text)
    } catch (error) {
      expect(`${String(error)} ${Object(error).hint}`).toMatch(message)
    }
  })

  it('is remembered, and printed with the rules that the project needs', async () => {
    const root = await createProject()
    const access = 'read=public,create=user,update=owner|role:admin,delete=rule:editors'
    const { code, stderr, stdout } = await generate(root, `pages title --access ${access}`)
    expect(code).toBe(0)
    expect(stdout).toContain(`access ${access}`)
    expect(`${stdout}${stderr}`).toContain('the rule "editors"')
    const routes = readFileSync(join(root, 'src/resources/pages/pages.routes.ts'), 'utf8')
    expect(routes).toContain("import { editors } from '../../access.js'")
    expect(routes).toContain("access: any('owner', 'admin')")
    expect((await generate(root, 'pages')).stdout).toContain('Nothing to do.')
  })

  it('expects the methods of all routes, also of those that only a rule decides', async () => {
    const root = await createProject()
    await generate(root, 'pages title --access read=public,write=rule:editors')
    const test = readFileSync(join(root, 'src/resources/pages/pages.test.ts'), 'utf8')
    expect(test).toContain("expect(headers['allow']).toBe('GET, HEAD, OPTIONS, POST')")
  })

  it.each([
    ["export const editors = defineRule('editors', () => true)", false],
    ['export const { editors, readers: all } = defineRules()', false],
    ['export function editors() {}', false],
    ["const writers = ''\nexport { writers as editors }", false],
    ["export { editors } from './rules.js'", false],
    ["const editors = defineRule('editors', () => true)", true],
    ['export type editors = string', true],
    ['export const { readers: all } = editors', true],
    ['export const editors = (', true],
  ])('says that a rule is to be exported only if it is not: %s', async (source, isNeeded) => {
    const root = await createProject()
    writeFileSync(join(root, 'src/access.ts'), `${source}\n`)
    const { code, stderr } = await generate(root, 'pages title --access rule:editors')
    expect(code).toBe(0)
    expect(stderr.includes('the rule "editors"')).toBe(isNeeded)
  })
})
