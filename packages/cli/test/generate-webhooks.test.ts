import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { createApiProgram } from '../src/lib/programs/api-program.ts'
import { createProject, readTree, type Result, runProgram } from './run-program.ts'

function api(cwd: string, line: string): Promise<Result> {
  return runProgram(createApiProgram, line.split(' '), { cwd })
}

const read = (root: string, path: string): string => readFileSync(join(root, path), 'utf8')

function edit(root: string, path: string, change: (text: string) => string): string {
  const edited = change(read(root, path))
  writeFileSync(join(root, path), edited)
  return edited
}

describe('api generate webhooks', () => {
  it('writes, mounts and connects webhooks, and changes nothing the second time', async () => {
    const root = await createProject()
    const { code, stderr, stdout } = await api(root, 'generate webhooks')
    expect([code, stdout]).toEqual([0, expect.stringContaining('+jobs, +openapi.webhooks')])
    expect(stdout).toContain('+1 import, +1 mount')
    expect(stderr).toMatch(/npm install .*create-api.jobs.*create-api.webhooks/)
    expect(stderr).toContain('openssl rand -base64 32')
    expect(read(root, 'src/routes.ts')).toContain("routes.use('/api/webhooks', webhooksRouter)\n")
    expect(read(root, 'src/app.ts')).toMatchSnapshot('app')
    expect(read(root, 'src/webhooks.ts')).toMatchSnapshot('webhooks')
    expect(read(root, 'src/webhooks.test.ts')).toMatchSnapshot('test')
    const before = readTree(root)
    expect((await api(root, 'generate webhooks')).stdout).toContain('Nothing to do.')
    expect(readTree(root)).toEqual(before)
  })

  it('adds to openapi where that is an object', async () => {
    const root = await createProject()
    edit(root, 'src/app.ts', (app) =>
      app.replace('  routes,\n', "  routes,\n  openapi: { version: '2.0.0' },\n"),
    )
    const before = readTree(root)
    expect((await api(root, 'generate webhooks')).code).toBe(0)
    expect(read(root, 'src/app.ts')).toContain(
      "openapi: { version: '2.0.0', webhooks: webhooks.openapi }",
    )
    expect((await api(root, 'destroy webhooks')).code).toBe(0)
    expect(readTree(root)).toEqual(before)
  })

  it.each([
    ['jobs are there', (app: string) => app.replace('  routes,\n', '  routes,\n  jobs,\n')],
    ['options are spread', (app: string) => app.replace('  routes,\n', '  routes,\n  ...more,\n')],
    [
      'openapi is off',
      (app: string) => app.replace('  routes,\n', '  routes,\n  openapi: false,\n'),
    ],
    ['a name is taken', (app: string) => `${app}\nexport const webhooks = 1\n`],
    ['the options are elsewhere', () => 'export const api = createApi(options)\n'],
  ])('says what to add where %s', async (_name, change) => {
    const root = await createProject()
    const edited = edit(root, 'src/app.ts', change)
    const { code, stderr } = await api(root, 'generate webhooks')
    expect([code, stderr]).toEqual([0, expect.stringContaining('...webhooks.handlers')])
    expect(stderr).toContain('openapi: { webhooks: webhooks.openapi }')
    expect(read(root, 'src/app.ts')).toBe(edited)
  })

  it('says what to add where there is no src/app.ts', async () => {
    const root = await createProject()
    rmSync(join(root, 'src/app.ts'))
    expect((await api(root, 'generate webhooks')).stderr).toContain('...webhooks.handlers')
    expect((await api(root, 'destroy webhooks')).code).toBe(0)
  })

  it('keeps an edited file, and writes nothing with --dry-run or without a registry', async () => {
    const root = await createProject()
    const before = readTree(root)
    expect((await api(root, 'generate webhooks --dry-run')).code).toBe(0)
    expect(readTree(root)).toEqual(before)
    writeFileSync(join(root, 'src/webhooks.ts'), '// mine\n')
    expect((await api(root, 'generate webhooks')).code).toBe(3)
    expect(read(root, 'src/webhooks.ts')).toBe('// mine\n')
    expect((await api(root, 'generate webhooks --force')).code).toBe(0)
    rmSync(join(root, 'src/routes.ts'))
    expect((await api(root, 'generate webhooks')).stderr).toContain('add these two lines')
    expect((await api(root, 'destroy webhooks')).stderr).toContain('nothing was deleted')
  })
})

describe('api destroy webhooks', () => {
  it('undoes what was generated', async () => {
    const root = await createProject()
    const before = readTree(root)
    await api(root, 'generate webhooks')
    const generated = readTree(root)
    const dryRun = await api(root, 'destroy webhooks --dry-run')
    expect([dryRun.code, dryRun.stdout]).toEqual([0, expect.stringContaining('Dry run')])
    expect(readTree(root)).toEqual(generated)
    expect((await api(root, 'destroy webhooks')).code).toBe(0)
    expect(readTree(root)).toEqual(before)
    expect((await api(root, 'destroy webhooks')).stdout).toContain('Nothing to do.')
  })

  it('deletes edited files only with --force, and names what still uses webhooks', async () => {
    const root = await createProject()
    await api(root, 'generate webhooks')
    edit(root, 'src/webhooks.ts', (text) => `${text}// mine\n`)
    edit(root, 'src/app.ts', (text) =>
      text.replace('jobs: webhooks.jobs', 'jobs: [...webhooks.jobs]'),
    )
    const before = readTree(root)
    const refused = await api(root, 'destroy webhooks')
    expect([refused.code, refused.stderr]).toEqual([
      3,
      expect.stringContaining('1 file was edited'),
    ])
    expect(readTree(root)).toEqual(before)
    const { code, stderr } = await api(root, 'destroy webhooks --force')
    expect([code, stderr]).toEqual([0, expect.stringContaining('remove what uses ./webhooks.js')])
    const app = read(root, 'src/app.ts')
    expect(app).toContain('jobs: [...webhooks.jobs]')
    expect(app).not.toContain('openapi')
  })
})
