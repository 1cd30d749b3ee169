import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { applyChanges } from '../src/lib/files/apply.ts'
import { hashText } from '../src/lib/files/hash-text.ts'
import { planChanges } from '../src/lib/files/plan.ts'
import { version } from '../src/lib/package/own-package.ts'
import { createApiProgram } from '../src/lib/programs/api-program.ts'
import { withBaseTexts } from '../src/lib/project/base-texts.ts'
import { manifestFile } from '../src/lib/project/manifest.ts'
import { printJson } from '../src/lib/project/print-json.ts'
import { buildProgram } from './built-modules.ts'
import { commitAll, git, initialise, unpackEarlier, write } from './earlier-projects/unpack.ts'
import {
  createProject,
  createTemporaryFolder,
  readTree,
  type Result,
  runProgram,
} from './run-program.ts'

const program = buildProgram('index')

const model = 'src/resources/posts/posts.model.ts'
const newImport = "from '@create-api/core/resource'"

function api(cwd: string, ...args: readonly string[]): Promise<Result> {
  return runProgram(createApiProgram, args, { cwd })
}

function read(root: string, path: string): string {
  return readFileSync(join(root, path), 'utf8')
}

// As if an earlier version had written a file of the project in another way.
function pretendWritten(root: string, path: string, text: string): void {
  const before = read(root, manifestFile)
  const manifest = JSON.parse(before)
  manifest.project.files[path] = hashText(text)
  const edit = { kind: 'edit', path: manifestFile, before, text: printJson(manifest) } as const
  applyChanges(root, planChanges(root, withBaseTexts(root, [edit], [text])))
}

describe('api upgrade', () => {
  it('merges from the kept texts, without any history of them', async () => {
    const root = await createProject(['posts title:string'])
    const readme = read(root, 'README.md')
    pretendWritten(root, 'README.md', readme.replace('JSON API', 'service'))
    write(root, 'README.md', `${readme.replace('JSON API', 'service')}\nMine.\n`)
    initialise(root)
    commitAll(root, 'Everything')
    const { code, stdout } = await api(root, 'upgrade')
    expect({ code, stdout }).toMatchObject({ code: 0 })
    expect(stdout).toContain('  merge      README.md\n')
    expect(read(root, 'README.md')).toBe(`${readme}\nMine.\n`)
  })

  it('follows files that the templates have renamed and dropped', async () => {
    const root = await createProject()
    const text = read(root, 'compose.yaml')
    const manifest = JSON.parse(read(root, manifestFile))
    const { 'compose.yaml': hash, ...files } = manifest.project.files
    Object.assign(manifest.project, {
      files: {
        ...files,
        'docker-compose.yml.yaml': hash,
        'gone.txt': hashText('gone\n'),
        'own.txt': hashText('was\n'),
      },
    })
    writeFileSync(join(root, manifestFile), printJson(manifest))
    pretendWritten(root, 'docker-compose.yml.yaml', text)
    rmSync(join(root, 'compose.yaml'))
    write(root, 'docker-compose.yml.yaml', `# Mine.\n${text}`)
    write(root, 'gone.txt', 'gone\n')
    write(root, 'own.txt', 'is\n')
    initialise(root)
    commitAll(root)
    const { code, stdout } = await api(root, 'upgrade')
    expect(code).toBe(0)
    expect(stdout).toContain('  rename     compose.yaml   (from docker-compose.yml.yaml)\n')
    expect(stdout).toContain('  delete     gone.txt\n')
    expect(stdout).toContain('  keep       own.txt   (edited, and no longer generated)\n')
    expect(read(root, 'compose.yaml')).toBe(`# Mine.\n${text}`)
    commitAll(root)
    expect((await api(root, 'upgrade')).stdout).toContain('Nothing to do.')
  })

  it('does nothing for a project that this version wrote', async () => {
    const root = await createProject(['posts title:string', 'comments body:text'])
    initialise(root)
    commitAll(root)
    const { code, stderr, stdout } = await api(root, 'upgrade')
    expect({ code, stderr, stdout }).toEqual({
      code: 0,
      stderr: '',
      stdout: '\n  Nothing to do.\n\n',
    })
    expect(git(root, 'status', '--porcelain')).toBe('')
  })

  it('works in a folder of a repository', async () => {
    const parent = createTemporaryFolder()
    const root = join(parent, 'services/one')
    for (const [path, text] of readTree(unpackEarlier('b5d9526'))) write(root, path, text)
    initialise(parent)
    commitAll(parent, 'Initial commit from create-api 0.1.0')
    writeFileSync(join(parent, 'untracked.txt'), 'not in the project\n')
    const { code } = await api(root, 'upgrade')
    expect(code).toBe(0)
    expect(read(root, model)).toContain(newImport)
  })

  it('prints the plan for a dry run, with the differences if asked, and writes nothing', async () => {
    const root = unpackEarlier('b5d9526')
    const dry = await api(root, 'upgrade', '--dry-run', '--verbose')
    expect(dry.code).toBe(0)
    expect(dry.stdout).toContain('Dry run: nothing was written.')
    expect(dry.stdout).toContain(`+import { type Stored, versioned } ${newImport}`)
    expect(git(root, 'status', '--porcelain')).toBe('')
    const [listed] = dry.stdout.replace('Dry run: nothing was written.\n', '').split('\n---')
    const real = await api(root, 'upgrade')
    expect(real.stdout.trim()).toBe(listed?.trim())
    expect(real.stderr).toContain('npm install && npm run check')
  })

  it.each([
    ['resources', model, 'README.md'],
    ['project', 'README.md', model],
  ])('--only %s leaves the rest', async (only, changed, same) => {
    const root = unpackEarlier('b5d9526')
    const before = read(root, same)
    const { code } = await api(root, 'upgrade', '--only', only)
    expect(code).toBe(0)
    expect(read(root, same)).toBe(before)
    commitAll(root)
    expect((await api(root, 'upgrade', '--only', only)).stdout).toContain('Nothing to do.')
    const rest = await api(root, 'upgrade')
    expect(rest.code).toBe(0)
    expect(rest.stdout).toContain(`  replace    ${same}`)
    expect(rest.stdout).not.toContain(changed)
  })

  it('resources alone never need the first commit', async () => {
    const root = createTemporaryFolder()
    for (const [path, text] of readTree(unpackEarlier('b5d9526'))) write(root, path, text)
    initialise(root)
    commitAll(root, 'Mine')
    write(root, model, `${read(root, model)}// mine\n`)
    commitAll(root)
    const { code } = await api(root, 'upgrade', '--only', 'resources')
    expect(code).toBe(0)
    expect(read(root, model)).toContain(newImport)
    expect(read(root, model)).toContain('// mine\n')
  })

  it('without a base, all differences are conflicts; --base names a commit', async () => {
    const root = createTemporaryFolder()
    for (const [path, text] of readTree(unpackEarlier('b5d9526'))) write(root, path, text)
    initialise(root)
    commitAll(root, 'Mine')
    git(root, 'tag', 'generated')
    write(root, 'README.md', `${read(root, 'README.md')}Mine.\n`)
    commitAll(root)
    const unknown = await api(root, 'upgrade')
    expect(unknown.code).toBe(3)
    expect(unknown.stdout).toContain('  conflict   README.md')
    expect(unknown.stderr).toContain('npx api upgrade --base <commit>')
    expect(read(root, 'README.md')).toContain('\nMine.\n')
    git(root, 'reset', '--quiet', '--hard')
    git(root, 'clean', '--quiet', '-d', '--force')
    expect((await api(root, 'upgrade', '--base', 'no-such')).stderr).toContain(
      'error: --base no-such is not a commit of this repository',
    )
    const known = await api(root, 'upgrade', '--base', 'generated')
    expect(known.code).toBe(0)
    expect(read(root, 'README.md')).toMatch(/prompts for the password[^]*\nMine\.\n$/)
  })

  it('reports own templates that are older than the built-in ones', async () => {
    const root = await createProject()
    await api(root, 'templates', 'eject', 'model')
    const path = 'templates/resource/model.ts.hbs'
    write(root, path, read(root, path).replace(/[0-9a-f]{32}/, '0'.repeat(32)))
    initialise(root)
    commitAll(root)
    expect((await api(root, 'upgrade')).stderr).toContain('resource/model.ts.hbs')
  })
})

describe('api upgrade refuses', () => {
  it('uncommitted changes and new files, unless forced', async () => {
    const root = unpackEarlier('b5d9526')
    write(root, 'src/own.ts', '')
    write(root, 'README.md', 'mine\n')
    const before = readTree(root)
    const { code, stderr } = await api(root, 'upgrade')
    expect(code).toBe(3)
    expect(stderr).toContain('the work tree has uncommitted changes; nothing was written')
    expect(stderr).toContain('   M README.md\n  ?? src/own.ts\n')
    expect(readTree(root)).toEqual(before)
    expect((await api(root, 'upgrade', '--force', '--ours')).code).toBe(0)
    expect(read(root, model)).toContain(newImport)
    expect(read(root, 'README.md')).toBe('mine\n')
  })

  it('a project without a repository, unless forced', async () => {
    const root = await createProject(['posts title:string'])
    const { code, stderr } = await api(root, 'upgrade')
    expect(code).toBe(3)
    expect(stderr).toContain('this is not a git repository; nothing was written')
    expect((await api(root, 'upgrade', '--force')).stdout).toContain('Nothing to do.')
  })

  it('to work without git', async () => {
    const root = unpackEarlier('b5d9526')
    const before = readTree(root)
    for (const flags of [[], ['--force'], ['--dry-run']]) {
      const { code, stderr } = await runProgram(createApiProgram, ['upgrade', ...flags], {
        cwd: root,
        env: { PATH: createTemporaryFolder() },
      })
      expect(code).toBe(6)
      expect(stderr).toContain('error: git is needed to merge files, and it could not be started')
      expect(stderr).toContain('install git and try again; nothing was written')
    }
    expect(readTree(root)).toEqual(before)
  })

  it('other versions, with the command that runs them', async () => {
    const root = unpackEarlier('b5d9526')
    expect((await api(root, 'upgrade', '--to', version, '--dry-run')).code).toBe(0)
    const other = await api(root, 'upgrade', '--to', '99.1.0')
    expect(other.code).toBe(2)
    expect(other.stderr).toContain('npx --package create-api@99.1.0 api upgrade')
    const latest = await api(root, 'upgrade', '--to', 'latest; rm')
    expect(latest).toMatchObject({ code: 2, stderr: expect.stringContaining('is not a version') })
  })

  it('a project that a later version wrote', async () => {
    const root = await createProject()
    const manifest = JSON.parse(read(root, manifestFile))
    manifest.project.cli = '99.0.0'
    writeFileSync(join(root, manifestFile), printJson(manifest))
    const { code, stderr } = await api(root, 'upgrade', '--force')
    expect(code).toBe(2)
    expect(stderr).toContain(`error: create-api 99.0.0 wrote this project, and this is ${version}`)
    expect(stderr).toContain('npx --package create-api@99.0.0 api upgrade')
  })

  it('two ways to resolve conflicts, and unknown parts', async () => {
    const root = unpackEarlier('b5d9526')
    expect((await api(root, 'upgrade', '--ours', '--theirs')).stderr).toContain(
      '--ours, --theirs and --stop exclude each other',
    )
    expect((await api(root, 'upgrade', '--only', 'resource')).stderr).toContain(
      'Did you mean resources?',
    )
  })

  it('a resource that cannot be rendered, by its name', async () => {
    const root = unpackEarlier('b5d9526')
    write(root, manifestFile, read(root, manifestFile).replace('title:string', 'title:strong'))
    commitAll(root)
    const { code, stderr } = await api(root, 'upgrade')
    expect(code).toBe(2)
    expect(stderr).toContain('error: the resource "posts" cannot be upgraded: ')
    expect(git(root, 'status', '--porcelain')).toBe('')
  })
})

describe('an interrupted api upgrade', () => {
  it('writes nothing where one file cannot be written', async () => {
    const root = unpackEarlier('b5d9526')
    write(root, '.api/base', 'a file where a folder should be\n')
    commitAll(root)
    const { code, stderr } = await api(root, 'upgrade')
    expect({ code, stderr }).not.toMatchObject({ code: 0 })
    expect(git(root, 'status', '--porcelain')).toBe('')
  })

  it.each([1, 8, 22])('that was killed at its rename %i can be undone or repeated', async (at) => {
    const root = unpackEarlier('b5d9526')
    const before = readTree(root)
    const script = fileURLToPath(new URL('./killed-run.js', import.meta.url))
    const args = [script, String(at), program, root, 'upgrade']
    const { signal } = spawnSync(process.execPath, args)
    expect(signal).toBe('SIGKILL')
    const refused = await api(root, 'upgrade')
    expect(refused).toMatchObject({ code: 3 })
    expect(refused.stderr).toContain('error: an earlier run was interrupted; nothing was written')
    expect(refused.stderr).toContain('to undo it: git restore .')
    const repeated = await api(root, 'upgrade', '--force')
    expect(repeated).toMatchObject({ code: 0 })
    const complete = readTree(root)
    git(root, 'restore', '.')
    git(root, 'clean', '--quiet', '-d', '--force')
    rmSync(join(root, '.api/lock'), { force: true })
    expect(readTree(root)).toEqual(before)
    expect(await api(root, 'upgrade')).toMatchObject({ code: 0 })
    expect(readTree(root)).toEqual(complete)
    expect([...complete.keys()].filter((path) => path.endsWith('.api-draft'))).toEqual([])
  })

  it('that runs beside another one waits for it, and then refuses its changes', async () => {
    const root = unpackEarlier('b5d9526')
    const results = await Promise.all([api(root, 'upgrade'), api(root, 'upgrade')])
    expect(results.map(({ code }) => code).toSorted((a, b) => a - b)).toEqual([0, 3])
    expect(existsSync(join(root, '.api/lock'))).toBe(false)
    commitAll(root)
    expect((await api(root, 'upgrade')).stdout).toContain('Nothing to do.')
  })
})

it('a folder where a generated file was is not touched', async () => {
  const root = unpackEarlier('b5d9526')
  rmSync(join(root, 'README.md'))
  mkdirSync(join(root, 'README.md'))
  write(root, 'README.md/one.txt', 'mine\n')
  commitAll(root)
  expect(await api(root, 'upgrade')).toMatchObject({ code: 0 })
  expect(read(root, 'README.md/one.txt')).toBe('mine\n')
})
