import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { createApiProgram } from '../src/lib/programs/api-program.ts'
import { createProjectProgram } from '../src/lib/programs/create-program.ts'
import { readBaseTexts } from '../src/lib/project/base-texts.ts'
import { manifestFile } from '../src/lib/project/manifest.ts'
import { printJson } from '../src/lib/project/print-json.ts'
import { commitAll, git, initialise, unpackEarlier, write } from './earlier-projects/unpack.ts'
import {
  createProject,
  createTemporaryFolder,
  readTree,
  type Result,
  runProgram,
} from './run-program.ts'

const model = 'src/resources/posts/posts.model.ts'
const newImport = "from '@create-api/core/resource'"
const oldImport = "import { ApiError, findPage } from '@create-api/core'\n"

function api(cwd: string, ...args: readonly string[]): Promise<Result> {
  return runProgram(createApiProgram, args, { cwd })
}

function read(root: string, path: string): string {
  return readFileSync(join(root, path), 'utf8')
}

function editManifest(
  root: string,
  change: (manifest: ReturnType<typeof JSON.parse>) => void,
): void {
  const manifest = JSON.parse(read(root, manifestFile))
  change(manifest)
  writeFileSync(join(root, manifestFile), printJson(manifest))
}

// Refused, with nothing written.
async function refusal(root: string, ...args: readonly string[]): Promise<Result> {
  const before = readTree(root)
  const result = await api(root, 'upgrade', ...args)
  expect(readTree(root)).toEqual(before)
  return result
}

describe('api upgrade of a project that another version wrote', () => {
  it('writes a file that templates have from now on', async () => {
    const root = await createProject()
    const text = read(root, 'AGENTS.md')
    editManifest(root, ({ project }) => delete project.files['AGENTS.md'])
    rmSync(join(root, 'AGENTS.md'))
    initialise(root)
    commitAll(root)
    expect((await api(root, 'upgrade')).stdout).toContain('  create     AGENTS.md\n')
    expect(read(root, 'AGENTS.md')).toBe(text)
    rmSync(join(root, 'AGENTS.md'))
    commitAll(root)
    expect((await api(root, 'upgrade')).stdout).toContain('Nothing to do.')
  })

  it.each([
    [['--template', 'minimal']],
    [['--client']],
    [['--pm', 'pnpm']],
    [['--pm', 'yarn']],
    [['--pm', 'bun']],
    [['--name', '@acme/service']],
  ])('renders it with the options it was created with: %j', async (flags) => {
    const cwd = createTemporaryFolder()
    const args = [
      'größe of all',
      '--name',
      'service',
      '--yes',
      '--no-install',
      '--no-git',
      ...flags,
    ]
    expect(await runProgram(createProjectProgram, args, { cwd })).toMatchObject({ code: 0 })
    const { code, stdout } = await api(join(cwd, 'größe of all'), 'upgrade', '--force')
    expect({ code, stdout }).toEqual({ code: 0, stdout: '\n  Nothing to do.\n\n' })
  })

  it.each([
    ['null', 'it is not an object'],
    ['{"version":1,"cli":"0.1.0","template":"default","resources":null}', 'resources'],
    ['{"version":1,"cli":"x","template":"default","resources":{}}', 'cli'],
    [
      '{"version":1,"cli":"0.1.0","template":"default","resources":{"posts":null}}',
      'resources.posts',
    ],
    [
      '{"version":1,"cli":"0.1.0","template":"default","resources":{"posts":{"name":"posts"}}}',
      'resources.posts.model',
    ],
    // Generated code refers to the models of other resources by these names.
    ...['class', "Post';run();'", '0||run()||Post', 'Post {}'].map((name) => [
      JSON.stringify({
        version: 1,
        cli: '0.1.0',
        template: 'default',
        resources: { posts: { name: 'posts', model: name } },
      }),
      'resources.posts.model',
    ]),
    [
      '{"version":1,"cli":"0.1.0","template":"default","resources":{},"project":{"name":"x","pm":"npm","cli":"0.1.0","files":[1]}}',
      'project.files',
    ],
    [
      '{"version":1,"cli":"0.1.0","template":"default","resources":{},"project":{"name":"x","pm":"npm","cli":"0.1.0","files":{"a":1}}}',
      'project.files.a',
    ],
  ])('refuses the damaged manifest %s', async (text, where) => {
    const root = await createProject()
    writeFileSync(join(root, manifestFile), text)
    const { code, stderr } = await refusal(root, '--force')
    expect(code).toBe(2)
    expect(stderr).toContain(`error: ${manifestFile} is damaged: ${where}`)
    expect(stderr).toContain('restore it from version control')
  })

  it('refuses a manifest of a later format', async () => {
    const root = await createProject()
    editManifest(root, (manifest) => Object.assign(manifest, { version: 2 }))
    const { code, stderr } = await refusal(root, '--force')
    expect(code).toBe(2)
    expect(stderr).toContain(`error: a later version of create-api wrote ${manifestFile}`)
    expect(stderr).toContain('create-api@latest')
  })

  it.each([
    ['template', 'web', 'default, minimal'],
    ['project.pm', 'deno', 'npm, pnpm, yarn, bun, yarn-modern'],
  ])('refuses an unknown %s in the manifest', async (key, value, known) => {
    const root = await createProject()
    editManifest(root, (manifest) => {
      if (key === 'template') Object.assign(manifest, { template: value })
      else Object.assign(manifest.project, { pm: value })
    })
    const { code, stderr } = await refusal(root, '--force')
    expect(code).toBe(2)
    expect(stderr).toContain(`error: ${key} "${value}" of ${manifestFile} is unknown`)
    expect(stderr).toContain(known)
  })

  it('refuses a name in the manifest that no package can have', async () => {
    const root = await createProject()
    const name = "a'); globalThis.alert(1); ('"
    editManifest(root, ({ project }) => Object.assign(project, { name }))
    const { code, stderr } = await refusal(root, '--force')
    expect(code).toBe(2)
    expect(stderr).toContain(`error: project.name "${name}" of ${manifestFile} cannot be a name`)
  })

  it('keeps a resource of which only the mount was generated', async () => {
    const root = await createProject()
    expect(await api(root, 'generate', 'resource', 'notes', '--only', 'mount')).toMatchObject({
      code: 0,
    })
    initialise(root)
    commitAll(root)
    const before = readTree(root)
    const { code, stdout } = await api(root, 'upgrade')
    expect([code, stdout]).toEqual([0, expect.stringContaining('Nothing to do.')])
    expect(readTree(root)).toEqual(before)
    expect(await api(root, 'add', 'field', 'notes', 'body:text')).toMatchObject({ code: 0 })
  })

  it('finds the texts in the history where the kept ones are damaged', async () => {
    const root = unpackEarlier('42fa3ce')
    expect(await api(root, 'upgrade')).toMatchObject({ code: 0 })
    commitAll(root)
    const text = read(root, 'README.md')
    write(root, 'README.md', `${text}\nMine.\n`)
    writeFileSync(join(root, '.api/base.json.gz'), 'damaged')
    commitAll(root)
    expect(readBaseTexts(root).size).toBeGreaterThan(0)
    expect(await api(root, 'upgrade')).toMatchObject({ code: 0 })
    expect(read(root, 'README.md')).toBe(`${text}\nMine.\n`)
  })
})

it.skipIf(process.getuid?.() === 0)(
  'api upgrade writes nothing in a read-only folder',
  async () => {
    const root = unpackEarlier('b5d9526')
    chmodSync(join(root, 'src'), 0o555)
    const { code, stderr } = await refusal(root)
    chmodSync(join(root, 'src'), 0o755)
    expect(code).toBe(1)
    expect(stderr).toContain('error: could not write: EACCES: permission denied')
    expect(stderr).toContain('nothing was changed')
  },
)

describe('api upgrade in a repository', () => {
  it('waits for a merge to be finished', async () => {
    const root = unpackEarlier('b5d9526')
    git(root, 'checkout', '--quiet', '-b', 'other')
    commitAll(root, 'Other')
    git(root, 'checkout', '--quiet', 'main')
    git(root, 'merge', '--quiet', '--no-ff', '--no-commit', 'other')
    const { code, stderr } = await refusal(root)
    expect(code).toBe(3)
    expect(stderr).toContain('error: a merge is in progress; nothing was written')
    expect(stderr).toContain('git merge --continue')
    git(root, 'merge', '--abort')
    expect(await api(root, 'upgrade')).toMatchObject({ code: 0 })
  })

  it('asks to resolve the conflicts of an upgrade before another one', async () => {
    const root = unpackEarlier('b5d9526')
    const marked = '<<<<<<< yours\nmine\n=======\n# my-service\n>>>>>>> create-api 0.0.9\n'
    write(root, 'README.md', marked)
    commitAll(root)
    const { code, stderr } = await refusal(root, '--force')
    expect(code).toBe(3)
    expect(stderr).toContain('error: README.md has conflicts of an earlier upgrade')
    expect(stderr).toContain('git restore .')
  })

  it('works in a second work tree and in a submodule', async () => {
    const parent = createTemporaryFolder()
    const root = unpackEarlier('b5d9526')
    const tree = join(parent, 'second tree')
    git(root, 'worktree', 'add', '--quiet', '--detach', tree)
    expect(await api(tree, 'upgrade')).toMatchObject({ code: 0 })
    expect(git(root, 'status', '--porcelain')).toBe('')
    const whole = join(parent, 'whole')
    mkdirSync(whole)
    initialise(whole)
    git(whole, '-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', root, 'service')
    commitAll(whole)
    expect(await api(join(whole, 'service'), 'upgrade')).toMatchObject({ code: 0 })
    expect(read(whole, `service/${model}`)).toContain(newImport)
  })

  it('leaves submodules, folders and links that have names of code', async () => {
    const root = unpackEarlier('b5d9526')
    const other = unpackEarlier('7e3f1c9')
    const shared = join(createTemporaryFolder(), 'shared.ts')
    writeFileSync(shared, oldImport)
    write(root, 'src/own.ts', oldImport)
    symlinkSync('own.ts', join(root, 'src/linked.ts'))
    symlinkSync('nowhere.ts', join(root, 'src/dangling.ts'))
    symlinkSync('resources', join(root, 'src/folder.ts'))
    symlinkSync(shared, join(root, 'src/shared.ts'))
    const add = ['submodule', '--quiet', 'add', other, 'other.ts']
    git(root, '-c', 'protocol.file.allow=always', ...add)
    commitAll(root)
    expect(await api(root, 'upgrade')).toMatchObject({ code: 0 })
    expect(read(root, 'src/own.ts')).toContain(newImport)
    expect(readFileSync(shared, 'utf8')).toBe(oldImport)
    expect(git(other, 'status', '--porcelain')).toBe('')
  })

  it('leaves a generated file that the user has made a link to another one', async () => {
    const root = unpackEarlier('b5d9526')
    rmSync(join(root, 'AGENTS.md'))
    symlinkSync('README.md', join(root, 'AGENTS.md'))
    commitAll(root)
    const { code, stdout } = await api(root, 'upgrade')
    expect({ code, stdout }).toMatchObject({ code: 0 })
    expect(stdout).toContain('  keep       AGENTS.md   (a link to README.md)\n')
    expect(read(root, 'README.md')).toContain('prompts for the password')
    commitAll(root)
    expect(await api(root, 'upgrade')).toMatchObject({ code: 0 })
    expect(git(root, 'status', '--porcelain')).toBe('')
  })

  it('keeps the line endings of a checkout that git converts', async () => {
    const root = unpackEarlier('b5d9526', { folder: 'größe of all' })
    git(root, 'config', 'core.autocrlf', 'true')
    rmSync(join(root, 'src'), { recursive: true })
    git(root, 'checkout', '--quiet', '--', '.')
    expect(read(root, model)).toContain('\r\n')
    expect(await api(root, 'upgrade')).toMatchObject({ code: 0 })
    expect(read(root, model)).toContain(newImport)
    expect(read(root, model)).not.toMatch(/[^\r]\n/)
    expect(existsSync(join(root, 'src/access.ts'))).toBe(true)
  })
})
