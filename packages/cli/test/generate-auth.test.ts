import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { createApiProgram } from '../src/lib/programs/api-program.ts'
import { createProject, readTree, type Result, runProgram } from './run-program.ts'

function auth(cwd: string, ...args: string[]): Promise<Result> {
  return runProgram(createApiProgram, ['generate', 'auth', ...args], { cwd })
}

const read = (root: string, path: string): string => readFileSync(join(root, path), 'utf8')

describe('api generate auth', () => {
  it('writes the ways to log in, adds the option, and changes nothing the second time', async () => {
    const root = await createProject()
    const { code, stderr, stdout } = await auth(root)
    expect([code, stdout]).toEqual([0, expect.stringContaining('+auth.signIn')])
    expect(stderr).toContain('create-api-sign-in')
    expect(read(root, 'src/sign-in.ts')).toContain('export const signIn = createSignIn({})')
    const app = read(root, 'src/app.ts')
    expect(app).toContain("import { signIn } from './sign-in.js'\n")
    expect(app).toContain('  auth: { signIn },\n')
    const before = readTree(root)
    expect((await auth(root)).stdout).toContain('Nothing to do.')
    expect(readTree(root)).toEqual(before)
  })

  it('names the packages and the variables of passkeys and providers', async () => {
    const root = await createProject()
    const args = ['--factors', 'passkeys', '--providers', 'google,openid', '--links', '--json']
    const { code, stdout } = await auth(root, ...args)
    expect(code).toBe(0)
    expect(JSON.parse(stdout)).toMatchObject({
      packages: ['@create-api/sign-in', '@simplewebauthn/server@14', 'jose@6', 'openid-client@6'],
      variables: [
        'APP_URL',
        'API_URL',
        'GOOGLE_CLIENT_ID',
        'GOOGLE_CLIENT_SECRET',
        'OPENID_ISSUER',
        'OPENID_CLIENT_ID',
        'OPENID_CLIENT_SECRET',
      ],
    })
    expect(read(root, 'src/sign-in.ts')).toMatchSnapshot()
    expect(read(root, 'src/sign-in.test.ts')).not.toContain('second-factor')
  })

  it.each([
    ['an empty object', 'auth: {}', 'auth: { signIn }'],
    ['other options', "auth: { issuer: 'blog' }", "auth: { issuer: 'blog', signIn }"],
  ])('adds to auth where that is %s', async (_name, given, wanted) => {
    const root = await createProject()
    const app = read(root, 'src/app.ts')
    writeFileSync(join(root, 'src/app.ts'), app.replace('  routes,\n', `  routes,\n  ${given},\n`))
    expect((await auth(root)).code).toBe(0)
    expect(read(root, 'src/app.ts')).toContain(wanted)
  })

  it.each([
    ['auth is false', (app: string) => app.replace('  routes,\n', '  routes,\n  auth: false,\n')],
    ['auth is spread', (app: string) => app.replace('  routes,\n', '  routes,\n  ...others,\n')],
    [
      'signIn is there',
      (app: string) => app.replace('  routes,\n', '  routes,\n  auth: { signIn: mine },\n'),
    ],
    ['the options are elsewhere', () => 'export const api = createApi(options)\n'],
    ['there are two calls', (app: string) => `${app}createApi({})\n`],
  ])('names the option where %s', async (_name, edit) => {
    const root = await createProject()
    const edited = edit(read(root, 'src/app.ts'))
    writeFileSync(join(root, 'src/app.ts'), edited)
    const { code, stderr } = await auth(root)
    expect([code, stderr]).toEqual([0, expect.stringContaining('set auth.signIn')])
    expect(read(root, 'src/app.ts')).toBe(edited)
  })

  it('keeps an edited file, and writes nothing with --dry-run', async () => {
    const root = await createProject()
    const before = readTree(root)
    expect((await auth(root, '--dry-run')).code).toBe(0)
    expect(readTree(root)).toEqual(before)
    writeFileSync(join(root, 'src/sign-in.ts'), '// mine\n')
    expect((await auth(root)).code).toBe(3)
    expect(read(root, 'src/sign-in.ts')).toBe('// mine\n')
    expect((await auth(root, '--force')).code).toBe(0)
    expect((await auth(root, '--providers', 'facebook')).code).toBe(2)
  })
})
