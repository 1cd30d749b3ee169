import { existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { createApiProgram } from '../src/lib/programs/api-program.ts'
import {
  createProject,
  createTemporaryFolder,
  readTree,
  type Result,
  runProgram,
} from './run-program.ts'

const fields = ['title:string', 'body:text']
const files = ['model', 'validation', 'service', 'controller', 'routes', 'test'].map(
  (part) => `src/resources/posts/posts.${part}.ts`,
)

function api(cwd: string, ...args: string[]): Promise<Result> {
  return runProgram(createApiProgram, args, { cwd })
}

function generate(cwd: string, ...args: string[]): Promise<Result> {
  return api(cwd, 'generate', 'resource', ...args)
}

async function expectRefusal(cwd: string, args: readonly string[], code: number): Promise<Result> {
  const before = readTree(cwd)
  const result = await api(cwd, ...args)
  expect(result.code).toBe(code)
  expect(result.stdout).toBe('')
  expect(result.stderr).toMatch(/^error: /)
  expect(readTree(cwd)).toEqual(before)
  return result
}

describe('api generate resource', () => {
  it('writes six files, mounts the router and says so', async () => {
    const root = await createProject()
    const { code, stderr, stdout } = await generate(root, 'posts', ...fields, 'author:ref:Author')
    expect(code).toBe(0)
    expect(stdout.split('\n').filter((line) => line.startsWith('  create'))).toEqual(
      files.map((path) => `  create     ${path}`),
    )
    expect(stdout).toMatch(/ {2}update {5}src\/routes\.ts +\+1 import, \+1 mount/)
    expect(stdout).toContain('Post → /api/posts  (collection "posts", 3 fields, access public)')
    expect(stderr).toContain('note: anyone may create, change and delete posts')
    expect(stderr).toContain('note: model "Author" does not exist yet')
    // From the day there are authors, posts have one of them.
    expect(readFileSync(join(root, 'src/resources/posts/posts.controller.ts'), 'utf8')).toContain(
      'references: req.references',
    )
    expect(stderr).toContain('next: npm test -- posts')
    for (const path of files) expect(existsSync(join(root, path))).toBe(true)
    expect(readFileSync(join(root, 'src/routes.ts'), 'utf8')).toContain(
      "routes.use('/api/posts', postsRouter)",
    )
  })

  it('tests no reference to a model that is not there yet and may be left out', async () => {
    const root = await createProject()
    await generate(root, 'plans', 'name', 'draft:ref:Revision:optional')
    const tested = readFileSync(join(root, 'src/resources/plans/plans.test.ts'), 'utf8')
    expect(tested).not.toContain('references')
  })

  it('changes nothing the second time, with and without the fields', async () => {
    const root = await createProject()
    await generate(root, 'posts', ...fields, '--access', 'owner')
    const before = readTree(root)
    for (const again of [fields, []]) {
      const { code, stdout } = await generate(root, 'posts', ...again)
      expect(code).toBe(0)
      expect(stdout).toContain('Nothing to do.')
      expect(stdout.match(/^ {2}identical /gm)).toHaveLength(6)
      expect(stdout).toMatch(/^ {2}unchanged {2}src\/routes\.ts$/m)
      expect(readTree(root)).toEqual(before)
    }
  })

  it('gives one required title without fields', async () => {
    const root = await createProject()
    await generate(root, 'tags')
    const text = readFileSync(join(root, 'src/resources/tags/tags.validation.ts'), 'utf8')
    expect(text).toContain('  title: z.string().max(200).trim().min(1),\n})')
  })

  it('GEN-04: keeps a file that was edited, and names every one', async () => {
    const root = await createProject()
    await generate(root, 'posts', ...fields)
    for (const path of [files[0], files[2]]) {
      const file = join(root, path ?? '')
      writeFileSync(file, `${readFileSync(file, 'utf8')}// mine\n`)
    }
    const { stderr } = await expectRefusal(root, ['g', 'resource', 'posts'], 3)
    expect(stderr).toContain('error: 2 files differ from what would be generated')
    expect(stderr).toContain(`conflict   ${files[0] ?? ''}`)
    expect(stderr).toMatch(/conflict {3}src\/resources\/posts\/posts\.service\.ts +\(\+0 −1\)/)
    expect(stderr).toContain('to keep your files: --skip-existing    to overwrite them: --force')
  })

  it('prints commands that work as they are', async () => {
    const root = await createProject()
    const { stderr } = await generate(root, 'posts', 'author:ref:Author')
    const commands = [...stderr.matchAll(/^ +npx --no-install api (.+)$/gm)].map(
      ([, command = '']) => command.split(' '),
    )
    expect(commands).toEqual([
      ['generate', 'resource', 'posts', '--access', 'user', '--force'],
      ['generate', 'resource', 'Author'],
      ['generate', 'resource', 'posts', '--force'],
    ])
    for (const command of commands) expect((await api(root, ...command)).code).toBe(0)
    expect((await generate(root, 'posts', '--check')).stderr).not.toContain('does not exist yet')
  })

  it('keeps edited files with --skip-existing and overwrites them with --force', async () => {
    const root = await createProject()
    await generate(root, 'posts', ...fields)
    const original = readTree(root)
    const file = join(root, files[2] ?? '')
    writeFileSync(file, '// mine\n')
    const kept = await generate(root, 'posts', '--skip-existing')
    expect(kept.code).toBe(0)
    expect(kept.stdout).toContain(`  keep       ${files[2] ?? ''}`)
    expect(readFileSync(file, 'utf8')).toBe('// mine\n')
    const forced = await generate(root, 'posts', '--force')
    expect(forced.stdout).toContain(`  overwrite  ${files[2] ?? ''}`)
    expect(readTree(root)).toEqual(original)
  })

  it('writes nothing for --dry-run and --check, and says what would change', async () => {
    const root = await createProject()
    const before = readTree(root)
    const dry = await generate(root, 'posts', '--dry-run')
    expect(dry.code).toBe(0)
    expect(dry.stdout).toContain('Dry run: nothing was written.')
    expect(dry.stdout).toContain("+routes.use('/api/posts', postsRouter)")
    expect(dry.stdout).not.toContain('+++ b/src/resources')
    const verbose = await generate(root, 'posts', '--dry-run', '--verbose')
    expect(verbose.stdout).toContain('+++ b/src/resources/posts/posts.model.ts')
    expect((await generate(root, 'posts', '--check')).code).toBe(1)
    expect(readTree(root)).toEqual(before)
    await generate(root, 'posts')
    expect((await generate(root, 'posts', '--check')).code).toBe(0)
  })

  it('GEN-09: plans in a dry run what a real run does', async () => {
    const root = await createProject()
    const dry = await generate(root, 'posts', ...fields, '--dry-run', '--json')
    const real = await generate(root, 'posts', ...fields, '--json')
    const { dryRun, ...planned } = JSON.parse(dry.stdout)
    expect(dryRun).toBe(true)
    expect({ ...planned, dryRun: false }).toEqual(JSON.parse(real.stdout))
  })

  it('prints one JSON document on success and on failure', async () => {
    const root = await createProject()
    const success = await generate(root, 'posts', '--json')
    expect(JSON.parse(success.stdout)).toMatchObject({
      ok: true,
      command: 'generate resource',
      dryRun: false,
      names: { model: 'Post', plural: 'posts', path: '/api/posts' },
      routes: [{ method: 'GET', path: '/api/posts', access: 'public' }, {}, {}, {}, {}, {}],
      warnings: [{ code: 'PUBLIC_WRITES' }],
    })
    expect(success.stderr).toBe('')
    const failure = await generate(root, 'posts', 'title:strng', '--json')
    expect(failure.code).toBe(2)
    expect(failure.stderr).toBe('')
    expect(JSON.parse(failure.stdout)).toMatchObject({
      ok: false,
      error: { code: 'INVALID_FIELD', exit: 2, message: 'unknown type "strng"' },
    })
    const usage = await generate(root, 'posts', '--nope', '--json')
    expect(JSON.parse(usage.stdout)).toMatchObject({ ok: false, error: { code: 'USAGE' } })
  })

  it('writes only the parts and actions asked for', async () => {
    const root = await createProject()
    await generate(root, 'posts', '--only', 'model,service', '--actions', 'list,get')
    expect([...readTree(join(root, 'src/resources/posts')).keys()].toSorted()).toEqual([
      'posts.model.ts',
      'posts.service.ts',
    ])
    const service = readFileSync(join(root, files[2] ?? ''), 'utf8')
    expect(service).toContain('export function get(')
    expect(service).not.toContain('export function remove(')
    expect(readFileSync(join(root, 'src/routes.ts'), 'utf8')).not.toContain('posts')
  })

  it('states only the routes that it writes', async () => {
    const root = await createProject()
    const { stdout, stderr } = await runProgram(
      createApiProgram,
      ['generate', 'model', 'posts', 'title:string'],
      { cwd: root },
    )
    expect(stdout).toContain('Post  (collection "posts", 1 field)')
    expect(stdout + stderr).not.toMatch(/GET|\/api\/posts|anyone may|npm test/)
    const { stdout: json } = await generate(root, 'posts', '--only', 'service', '--json')
    expect(JSON.parse(json).routes).toEqual([])
  })

  it('skips a file that exists already', async () => {
    const root = await createProject()
    await generate(root, 'posts', '--only', 'model')
    const { code } = await generate(root, 'posts', '--skip', 'model')
    expect(code).toBe(0)
    expect(readFileSync(join(root, 'src/routes.ts'), 'utf8')).toContain('postsRouter')
  })

  it('mounts at --path, without timestamps when asked', async () => {
    const root = await createProject()
    await generate(root, 'posts', '--path', '/api/v2/articles', '--no-timestamps')
    expect(readFileSync(join(root, 'src/routes.ts'), 'utf8')).toContain(
      "routes.use('/api/v2/articles', postsRouter)",
    )
    expect(readFileSync(join(root, files[0] ?? ''), 'utf8')).not.toContain('timestamps')
    const again = await generate(root, 'posts')
    expect(again.stdout).toContain('Nothing to do.')
  })

  it('remembers an overridden inflection', async () => {
    const root = await createProject()
    await generate(root, 'cow', '--plural', 'kine')
    const config = JSON.parse(readFileSync(join(root, 'api.config.json'), 'utf8'))
    expect(config.inflections).toEqual({ irregular: { cow: 'kine' }, uncountable: [] })
    const again = await generate(root, 'cow')
    expect(again.stdout).toContain('Nothing to do.')
  })

  it.each([
    ['another spelling', ['post'], 'NAME_TAKEN', 'is the resource "posts", which exists already'],
    ['another case', ['Posts'], 'NAME_TAKEN', 'which exists already'],
    ['a path that is taken', ['articles', '--path', '/api/posts'], 'NAME_TAKEN', 'already'],
    ['a path of the framework', ['logins', '--path', '/api/v1/auth'], 'NAME_TAKEN', 'framework'],
    [
      'a path with a parameter',
      ['notes', '--path', '/api/posts/:postId/notes'],
      'USAGE',
      '--path /api/posts/:postId/notes: the generated code does not read :postId',
    ],
    ['a path with a parameter, naming --under', ['notes', '--path', '/a/:b'], 'USAGE', '--under'],
    [
      'to skip a file that another imports',
      ['notes', '--skip', 'model'],
      'USAGE',
      '--skip model: src/resources/notes/notes.model.ts does not exist, and service needs it',
    ],
    ['a path that is none', ['articles', '--path', 'x y'], 'USAGE', 'is not a path'],
    [
      'an owner field under owner',
      ['books', 'owner:string', '--access', 'owner'],
      'INVALID_FIELD',
      'owner',
    ],
    ['nothing left to write', ['books', '--only', 'model', '--skip', 'model'], 'USAGE', 'nothing'],
  ])('GEN-02: refuses %s', async (_what, args, code, message) => {
    const root = await createProject(['posts'])
    const { stderr } = await expectRefusal(root, ['generate', 'resource', ...args], 2)
    expect(stderr).toContain(message)
    const { stdout } = await generate(root, ...args, '--json')
    expect(JSON.parse(stdout).error.code).toBe(code)
  })

  it.each([
    [['generate', 'resorce', 'posts'], 'Did you mean resource?'],
    [['generat', 'resource', 'posts'], 'Did you mean generate?'],
    [['generate', 'resource', 'posts', '--acess', 'user'], 'Did you mean --access?'],
    [['generate', 'resource', 'posts', '--access', 'usr'], 'Did you mean user?'],
    [['generate', 'resource', 'posts', '--only', 'modl'], 'Did you mean model?'],
    [['generate', 'resource', 'posts', '--only', ','], 'Choose from'],
    [['generate', 'resource'], "missing required argument 'name'"],
    [['generate'], 'a command is missing'],
    [[], 'a command is missing'],
    [['generate', 'resource', 'posts', '--cwd', '/nowhere/at/all'], 'is not a folder'],
  ])('refuses the arguments %j with exit code 2', async (args, message) => {
    const { stderr } = await expectRefusal(await createProject(), args, 2)
    expect(stderr).toContain(message)
  })

  it.each([
    [['generate', 'resource'], 'see: npx --no-install api generate resource --help'],
    [['g', 'nope'], 'see: npx --no-install api generate --help'],
    [['doctr'], 'see: npx --no-install api --help'],
  ])('names the help of the command that was meant: %j', async (args, hint) => {
    const { stderr } = await expectRefusal(await createProject(), args, 2)
    expect(stderr).toContain(hint)
  })

  it('GEN-06: writes nothing when a marker is missing, and shows what to paste', async () => {
    const root = await createProject()
    const registry = join(root, 'src/routes.ts')
    writeFileSync(registry, readFileSync(registry, 'utf8').replace(/\/\/ <\/api:mounts>\n/, ''))
    const { stderr } = await expectRefusal(root, ['g', 'resource', 'posts'], 4)
    expect(stderr).toContain('src/routes.ts has no "// </api:mounts>" marker; nothing was written')
    expect(stderr).toContain("    import { postsRouter } from './resources/posts/posts.routes.js'")
    expect(stderr).toContain("    routes.use('/api/posts', postsRouter)")
    writeFileSync(registry, 'export const = 1\n')
    expect((await expectRefusal(root, ['g', 'resource', 'posts'], 4)).stderr).toContain('not parse')
    rmSync(registry)
    expect((await expectRefusal(root, ['g', 'resource', 'posts'], 4)).stderr).toContain(
      'is missing',
    )
  })

  it('ends with 5 outside a project', async () => {
    const { stderr } = await expectRefusal(createTemporaryFolder(), ['g', 'resource', 'a'], 5)
    expect(stderr).toContain('run this inside a project created by create-api')
  })

  it('finds the project from a folder inside it, and through --cwd', async () => {
    const root = await createProject()
    expect((await generate(join(root, 'src'), 'posts')).code).toBe(0)
    expect((await generate('/', 'tags', '-C', root)).code).toBe(0)
  })

  it('refuses settings and a manifest that are not valid', async () => {
    const root = await createProject()
    writeFileSync(
      join(root, 'api.config.json'),
      '{ "srcdir": "src", "format": "x", "registry": "../x" }',
    )
    const { stderr } = await expectRefusal(root, ['g', 'resource', 'posts'], 2)
    expect(stderr).toContain('"srcdir" is unknown; did you mean "srcDir"?')
    expect(stderr).toContain('"format" must be one of')
    expect(stderr).toContain('"registry" must be a path inside the project')
    writeFileSync(join(root, 'api.config.json'), '{}')
    writeFileSync(join(root, '.api/manifest.json'), '{')
    expect((await expectRefusal(root, ['g', 'resource', 'posts'], 2)).stderr).toContain('damaged')
  })

  it('GEN-10: refuses a folder that a link leads out of the project', async () => {
    const root = await createProject()
    const outside = createTemporaryFolder()
    symlinkSync(outside, join(root, 'src/resources'))
    const { stderr } = await expectRefusal(root, ['g', 'resource', 'posts'], 3)
    expect(stderr).toContain('leads out of the project')
    expect(readTree(outside).size).toBe(0)
  })

  it('refuses a file where a folder should be, and a folder where a file should be', async () => {
    const root = await createProject()
    mkdirSync(join(root, 'src/resources'))
    writeFileSync(join(root, 'src/resources/posts'), '')
    const { stderr } = await expectRefusal(root, ['g', 'resource', 'posts'], 3)
    expect(stderr).toContain('src/resources/posts is a file, but must be a folder')
    rmSync(join(root, 'src/resources/posts'))
    mkdirSync(join(root, files[0] ?? ''), { recursive: true })
    const other = await expectRefusal(root, ['g', 'resource', 'posts'], 3)
    expect(other.stderr).toContain('posts.model.ts is a folder, but must be a file')
  })

  it('GEN-07: keeps CRLF and a byte order mark of the registry', async () => {
    const root = await createProject()
    const registry = join(root, 'src/routes.ts')
    const text = `\uFEFF${readFileSync(registry, 'utf8').replaceAll('\n', '\r\n')}`
    writeFileSync(registry, text)
    await generate(root, 'posts')
    const edited = readFileSync(registry, 'utf8')
    const added = edited.split('\r\n').filter((line) => !text.split('\r\n').includes(line))
    expect(added).toHaveLength(2)
    expect(edited.startsWith('\uFEFF')).toBe(true)
    expect(edited.replaceAll('\r\n', '')).not.toContain('\n')
  })

  it("uses the project's own templates before the built-in ones", async () => {
    const root = await createProject()
    mkdirSync(join(root, 'templates/resource'), { recursive: true })
    const own = join(root, 'templates/resource/model.ts.hbs')
    writeFileSync(own, 'export const {{names.model}} = 1\n')
    await generate(root, 'posts')
    expect(readFileSync(join(root, files[0] ?? ''), 'utf8')).toBe('export const Post = 1\n')
    writeFileSync(own, '{{nope}}')
    const { code, stderr } = await generate(root, 'tags')
    expect(code).toBe(2)
    expect(stderr).toContain('your template resource/model.ts.hbs does not work')
  })
})
