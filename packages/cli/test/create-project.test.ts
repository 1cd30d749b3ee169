import { execFileSync, spawnSync } from 'node:child_process'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { createProjectProgram } from '../src/lib/programs/create-program.ts'
import { createTemporaryFolder, readTree, type Result, runProgram } from './run-program.ts'

const quick = ['--yes', '--no-install']
const bin = fileURLToPath(new URL('../src/create-api.ts', import.meta.url))

function create(
  cwd: string,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<Result> {
  return runProgram(createProjectProgram, [...args], { cwd, env })
}

function git(cwd: string, ...args: string[]): string {
  return execFileSync('git', args, { cwd, encoding: 'utf8' }).trim()
}

// A user that git knows, whatever this machine is set up like.
const author = {
  GIT_AUTHOR_NAME: 'Test',
  GIT_COMMITTER_NAME: 'Test',
  GIT_CONFIG_COUNT: '1',
  GIT_CONFIG_KEY_0: 'user.email',
  GIT_CONFIG_VALUE_0: 'test@example.org',
}

describe('create-api', () => {
  it('--client adds scripts, a test and what they need', async () => {
    const cwd = createTemporaryFolder()
    await create(cwd, ['plain', ...quick, '--no-git'])
    const args = ['typed', ...quick, '--no-git', '--client']
    const { stdout } = await create(cwd, args)
    expect(stdout).toContain('npm run client\n')
    expect(stdout).toContain('--client')
    const [plain, typed] = [readTree(join(cwd, 'plain')), readTree(join(cwd, 'typed'))]
    const added = [...typed.keys()].filter((path) => !plain.has(path))
    expect(added.map((path) => path.replace(/-[\d.]+\.tgz$/, ''))).toEqual(['test/client.test.ts'])
    const { devDependencies, scripts } = JSON.parse(typed.get('package.json') ?? '')
    expect(devDependencies).toHaveProperty('@create-api/client')
    expect(scripts).toMatchObject({ client: 'api client', 'client:check': 'api client --check' })
    expect(scripts.check).toContain('npm run client:check')
    expect(plain.get('package.json')).not.toContain('client')
    expect(JSON.parse(typed.get('.api/manifest.json') ?? '').project.client).toBe(true)
  })

  it('--template minimal omits files for containers, CI and agents', async () => {
    const cwd = createTemporaryFolder()
    await create(cwd, ['whole', ...quick, '--no-git'])
    const args = ['small', ...quick, '--no-git', '--template', 'minimal']
    const { code, stdout } = await create(cwd, args)
    expect(code).toBe(0)
    expect(stdout).toContain('--template minimal')
    const whole = readTree(join(cwd, 'whole'))
    const small = readTree(join(cwd, 'small'))
    expect([...whole.keys()].filter((path) => !small.has(path)).toSorted()).toEqual([
      '.dockerignore',
      '.github/workflows/ci.yml',
      'AGENTS.md',
      'Dockerfile',
      'compose.yaml',
    ])
    expect(small.get('README.md')).not.toMatch(/docker/i)
    expect(small.get('.api/manifest.json')).toContain('"template": "minimal"')
    expect((await create(cwd, ['other', ...quick, '--template', 'minimum'])).code).toBe(2)
  })

  it('writes a project, creates a first commit and prints the next steps', async () => {
    const cwd = createTemporaryFolder()
    const { code, stdout } = await create(cwd, ['my-service', ...quick], author)
    expect(code).toBe(0)
    expect(stdout).toMatch(/my-service created in \d+\.\d s \(\d+ files\)/)
    expect(stdout).toContain('first commit "Initial commit from create-api')
    expect(stdout).toContain('  cd my-service\n  npm install\n  npm run dev')
    expect(stdout).toContain('npx create-api my-service --yes --pm npm --no-install')
    const root = join(cwd, 'my-service')
    expect(git(root, 'status', '--porcelain')).toBe('')
    expect(git(root, 'log', '--format=%s')).toMatch(/^Initial commit from create-api/)
    for (const file of ['README.md', 'AGENTS.md', 'Dockerfile', 'compose.yaml', '.env.example']) {
      expect(existsSync(join(root, file))).toBe(true)
    }
  })

  it('CFG-05: creates a new secret each time, readable only by its owner and ignored by git', async () => {
    const cwd = createTemporaryFolder()
    const secrets = await Promise.all(
      ['one', 'two'].map(async (name) => {
        await create(cwd, [name, ...quick], author)
        expect(statSync(join(cwd, name, '.env')).mode & 0o777).toBe(0o600)
        expect(git(join(cwd, name), 'check-ignore', '.env')).toBe('.env')
        const text = readFileSync(join(cwd, name, '.env'), 'utf8')
        return /^JWT_SECRET=([\w-]{43})$/m.exec(text)?.[1]
      }),
    )
    expect(secrets[0]).toBeDefined()
    expect(secrets[0]).not.toBe(secrets[1])
  })

  it('includes the packages of its checkout as tarballs', async () => {
    const cwd = createTemporaryFolder()
    const { code } = await create(cwd, ['my-service', ...quick, '--no-git'])
    expect(code).toBe(0)
    const manifest = JSON.parse(readFileSync(join(cwd, 'my-service/package.json'), 'utf8'))
    const core = manifest.dependencies['@create-api/core']
    expect(core).toMatch(/^file:vendor\/create-api-core-.*\.tgz$/)
    const tarball = join(cwd, 'my-service', core.replace('file:', ''))
    const packed = execFileSync('tar', ['-xzOf', tarball, 'package/package.json'])
    expect(JSON.parse(packed.toString())).toMatchObject({ name: '@create-api/core' })
  })

  it('creates resources with the project', async () => {
    const cwd = createTemporaryFolder()
    const args = ['--resource', 'posts title:string', '--resource', 'comments post:ref:Post']
    const { stderr } = await create(cwd, ['blog', ...quick, '--no-git', ...args])
    const registry = readFileSync(join(cwd, 'blog/src/routes.ts'), 'utf8')
    expect(registry.indexOf("routes.use('/api/posts', postsRouter)")).toBeGreaterThan(0)
    expect(registry.indexOf("routes.use('/api/comments', commentsRouter)")).toBeGreaterThan(0)
    expect(stderr).toContain('anyone may create, change and delete posts, comments')
    expect(stderr).not.toContain('does not exist yet')
  })

  it('writes nothing for a dry run', async () => {
    const cwd = createTemporaryFolder()
    const { code, stdout } = await create(cwd, ['my-service', '--dry-run'])
    expect(code).toBe(0)
    expect(stdout).toContain('Dry run: nothing was written.')
    expect(stdout).toContain('  create     package.json')
    expect(readTree(cwd).size).toBe(0)
    expect(existsSync(join(cwd, 'my-service'))).toBe(false)
  })

  it('prints one JSON document', async () => {
    const cwd = createTemporaryFolder()
    const { stdout } = await create(cwd, ['my-service', '--json', '--no-install'], author)
    expect(JSON.parse(stdout)).toMatchObject({
      ok: true,
      command: 'create-api',
      name: 'my-service',
      packageManager: 'npm',
      git: 'committed',
      installed: false,
    })
  })

  it('asks for the folder by name when there is no one to ask', async () => {
    const { code, stderr } = await create(createTemporaryFolder(), [])
    expect(code).toBe(2)
    expect(stderr).toContain('the argument dir is missing')
    expect(stderr).toContain('npx create-api my-service --yes')
  })

  it('GEN-10: refuses a folder that holds something, and lists it', async () => {
    const cwd = createTemporaryFolder()
    writeFileSync(join(cwd, 'notes.txt'), 'mine')
    const { code, stderr } = await create(cwd, ['.', '--name', 'x', ...quick])
    expect(code).toBe(3)
    expect(stderr).toContain('. is not empty; nothing was written\n  notes.txt\n')
    expect(stderr).toContain('--force')
    expect([...readTree(cwd)]).toEqual([['notes.txt', 'mine']])
    expect(existsSync(join(cwd, '.api'))).toBe(false)
  })

  it('GEN-05: goes on where a run was killed before its files had their names', async () => {
    const cwd = createTemporaryFolder()
    const expected = createTemporaryFolder()
    mkdirSync(join(cwd, 'svc', '.api'), { recursive: true })
    mkdirSync(join(cwd, 'svc', 'src'))
    writeFileSync(join(cwd, 'svc', '.api', 'lock'), '')
    utimesSync(join(cwd, 'svc', '.api', 'lock'), 0, 0)
    writeFileSync(join(cwd, 'svc', 'src', 'app.ts.api-draft'), 'half')
    for (const folder of [cwd, expected]) {
      expect(await create(folder, ['svc', ...quick])).toMatchObject({ code: 0 })
    }
    const names = (folder: string): string[] => [...readTree(folder).keys()]
    expect(names(cwd)).toEqual(names(expected))
  })

  it.each([
    ['file', 'file is a file'],
    ['file/below', 'file is a file'],
    ['link', 'link is a broken symbolic link'],
  ])('GEN-10: refuses %s, where no folder can be', async (dir, expected) => {
    const cwd = createTemporaryFolder()
    writeFileSync(join(cwd, 'file'), 'mine')
    symlinkSync('nothing', join(cwd, 'link'))
    const before = readTree(cwd)
    for (const flag of ['--force', '--dry-run', '--no-git']) {
      const { code, stderr } = await create(cwd, [dir, flag, ...quick])
      expect(code).toBe(3)
      expect(stderr).toContain(`${expected}; nothing was written`)
    }
    expect(readTree(cwd)).toEqual(before)
  })

  it('accepts a folder with a repository, a licence and a readme, and keeps them', async () => {
    const cwd = createTemporaryFolder()
    writeFileSync(join(cwd, 'README.md'), 'mine')
    writeFileSync(join(cwd, 'LICENSE'), 'mine')
    git(cwd, 'init', '--quiet')
    const { code, stdout } = await create(cwd, ['.', '--name', 'x', ...quick])
    expect(code).toBe(0)
    expect(stdout).toContain('  kept       README.md')
    expect(stdout).toContain('the folder is already a repository')
    expect(readFileSync(join(cwd, 'README.md'), 'utf8')).toBe('mine')
  })

  it('writes into a folder that holds something with --force, and deletes nothing', async () => {
    const cwd = createTemporaryFolder()
    writeFileSync(join(cwd, 'package.json'), '{}')
    writeFileSync(join(cwd, 'notes.txt'), 'mine')
    const { code, stdout } = await create(cwd, [
      '.',
      '--name',
      'x',
      '--force',
      '--no-git',
      ...quick,
    ])
    expect(code).toBe(0)
    expect(stdout).toContain('  kept       package.json')
    expect(readFileSync(join(cwd, 'package.json'), 'utf8')).toBe('{}')
    expect(readFileSync(join(cwd, 'notes.txt'), 'utf8')).toBe('mine')
  })

  const kept: readonly (readonly [gitignore: string, added: string])[] = [
    ['', '.env\n'],
    ['node_modules/\n', '.env\n'],
    ['node_modules/\r\ndist/', '\r\n.env\r\n'],
    ['.env\n!.env\n', '.env\n'],
    ['.env*\n!*.env\n', '.env\n'],
    ['.envrc\n', '.env\n'],
    ['.env\n', ''],
    ['/.env*\n', ''],
    ['!.env.example\n*.env\n', ''],
  ]

  it.each(kept)('never commits .env where it keeps the .gitignore %j', async (before, added) => {
    const cwd = createTemporaryFolder()
    for (const name of ['.gitignore', '.dockerignore']) writeFileSync(join(cwd, name), before)
    const { code, stdout } = await create(cwd, ['.', '--name', 'x', '--force', ...quick], author)
    expect(code).toBe(0)
    for (const name of ['.gitignore', '.dockerignore']) {
      expect(readFileSync(join(cwd, name), 'utf8')).toBe(before + added)
      expect(stdout).toContain(added === '' ? `kept       ${name}` : `updated    ${name}  +.env`)
    }
    expect(git(cwd, 'check-ignore', '.env')).toBe('.env')
    expect(git(cwd, 'ls-files', '.env')).toBe('')
    expect(git(cwd, 'ls-files', 'package.json')).toBe('package.json')
  })

  it('refuses a file as folder, and a link that leads to nothing', async () => {
    const cwd = createTemporaryFolder()
    writeFileSync(join(cwd, 'file'), '')
    symlinkSync('/nowhere/at/all', join(cwd, 'link'))
    for (const name of ['file', 'link']) {
      const before = readTree(cwd)
      const { code } = await create(cwd, [name, ...quick])
      expect(code).not.toBe(0)
      expect(readTree(cwd)).toEqual(before)
    }
  })

  it.skipIf(process.getuid?.() === 0)(
    'GEN-10: leaves nothing behind in a read-only folder',
    async () => {
      const cwd = createTemporaryFolder()
      chmodSync(cwd, 0o555)
      const { code } = await create(cwd, ['my-service', ...quick])
      expect(code).toBe(1)
      chmodSync(cwd, 0o755)
      expect(readTree(cwd).size).toBe(0)
    },
  )

  const mount = 'mount -t tmpfs -o ro tmpfs "$1" && cd "$1" && shift && exec "$@"'
  const unshare = (folder: string, ...command: string[]) =>
    spawnSync('unshare', ['-rm', 'sh', '-c', mount, 'sh', folder, ...command], { encoding: 'utf8' })
  const canMount = unshare(import.meta.dirname, 'true').status === 0
  it.runIf(canMount)('says that the file system is read-only', () => {
    const flags = ['--conditions=@create-api/source', '--import', import.meta.resolve('tsx')]
    const command = [process.execPath, ...flags, bin, 'my-service', ...quick]
    const { status, stderr } = unshare(createTemporaryFolder(), ...command)
    expect(stderr).toMatch(/^error: EROFS: .*\n {2}the file system is read-only\n$/)
    expect(status).toBe(1)
  })

  it.each([
    ['1bad name!', 'try 1bad-name'],
    ['Bad Name', 'try bad-name'],
    ['node_modules', 'npm reserves it'],
    ['http', 'it is a built-in module of Node.js'],
    ['con', 'it cannot be a folder on Windows'],
    ['x'.repeat(215), 'longer than 214'],
  ])('refuses the project name %j', async (name, message) => {
    const cwd = createTemporaryFolder()
    const { code, stderr } = await create(cwd, [name, ...quick])
    expect(code).toBe(2)
    expect(stderr).toContain(message)
    expect(readTree(cwd).size).toBe(0)
  })

  it.each([
    [['x', '--pm', 'nmp'], 'Did you mean npm?'],
    [['x', '--templat', 'y'], 'unknown option'],
    [['x', 'y'], 'too many arguments'],
    [['x', '--start', '--no-install'], '--start needs the dependencies'],
    [['x', '--start', '--json'], 'cannot be combined'],
    [['x', '--resource', 'a "b'], '--resource has an unclosed "'],
    [['x', '--resource', ''], '--resource needs a name'],
    [['x', '--resource', 'class'], 'cannot be a resource'],
    [['x', '--resource', 'posts title:strng'], 'unknown type "strng"'],
  ])('refuses %j', async (args, message) => {
    const cwd = createTemporaryFolder()
    const { code, stderr, stdout } = await create(cwd, [...args, '--yes'])
    expect(code).toBe(2)
    expect(stderr + stdout).toContain(message)
    expect(readTree(cwd).size).toBe(0)
  })

  it('uses the package manager that runs it, unless a flag names another', async () => {
    const cwd = createTemporaryFolder()
    const env = { npm_config_user_agent: 'pnpm/10.0.0 npm/? node/v24' }
    const args = ['--json', '--no-install', '--no-git', '--dry-run']
    expect(JSON.parse((await create(cwd, ['a', ...args], env)).stdout).packageManager).toBe('pnpm')
    const flagged = await create(cwd, ['a', ...args, '--pm', 'bun'], env)
    expect(JSON.parse(flagged.stdout).packageManager).toBe('bun')
  })

  it('lists packages with install scripts for pnpm only', async () => {
    const cwd = createTemporaryFolder()
    const settings = 'pnpm-workspace.yaml'
    await create(cwd, ['alone', '--pm', 'pnpm', '--no-git', ...quick])
    const text = readFileSync(join(cwd, 'alone', settings), 'utf8')
    expect(text).toContain('allowBuilds:\n  esbuild: true\n')
    expect(text).toMatch(/'@create-api\/core': file:vendor\/create-api-core-.*\.tgz\n/)
    expect(readFileSync(join(cwd, 'alone/Dockerfile'), 'utf8')).toContain(settings)
    await create(cwd, ['other', '--pm', 'npm', '--no-git', ...quick])
    expect(existsSync(join(cwd, 'other', settings))).toBe(false)
    // Inside a workspace its root decides, and a file here would cut the package off.
    mkdirSync(join(cwd, 'workspace'))
    writeFileSync(join(cwd, 'workspace', settings), "packages: ['*']\n")
    await create(cwd, ['workspace/member', ...quick])
    expect(existsSync(join(cwd, 'workspace/member', settings))).toBe(false)
  })

  it('distinguishes Yarn 2 and later from Yarn 1', async () => {
    const cwd = createTemporaryFolder()
    const dockerfileFor = async (name: string, agent: string): Promise<string> => {
      await create(cwd, [name, '--no-git', ...quick], { npm_config_user_agent: agent })
      expect(readFileSync(join(cwd, name, '.yarnrc.yml'), 'utf8')).toContain('node-modules')
      return readFileSync(join(cwd, name, 'Dockerfile'), 'utf8')
    }
    const modern = await dockerfileFor('modern', 'yarn/4.18.1 npm/? node/v24.0.0 linux x64')
    expect(modern).toContain('COPY package.json yarn.lock .yarnrc.yml ./')
    expect(modern).toContain('yarn install --immutable')
    const classic = await dockerfileFor('classic', 'yarn/1.22.22 npm/? node/v24.0.0 linux x64')
    expect(classic).toContain('yarn install --frozen-lockfile')
    await create(cwd, ['other', '--pm', 'npm', '--no-git', ...quick])
    expect(existsSync(join(cwd, 'other/.yarnrc.yml'))).toBe(false)
    // Yarn alone leaves it to the project to bring what a package asks for beside it.
    const manifestOf = (name: string): string =>
      readFileSync(join(cwd, name, 'package.json'), 'utf8')
    expect(manifestOf('modern')).toContain('"vite": "^8')
    expect(manifestOf('other')).not.toContain('"vite"')
  })

  it('uses the package manager and repository of a workspace', async () => {
    const cwd = createTemporaryFolder()
    writeFileSync(
      join(cwd, 'package.json'),
      '{ "workspaces": ["apps/*"], "packageManager": "yarn@1.22" }',
    )
    mkdirSync(join(cwd, 'apps'))
    const { stderr, stdout } = await create(cwd, ['apps/a', ...quick], author)
    expect(stdout).toContain(`the workspace ${cwd} has its own`)
    expect(stdout).toContain('--pm yarn')
    expect(stderr).toContain(
      `note: GitHub reads workflows in ${cwd} only: apps/a/README.md has one for it`,
    )
    for (const file of ['.git', '.github', '.dockerignore', '.yarnrc.yml']) {
      expect(existsSync(join(cwd, 'apps/a', file))).toBe(false)
    }
  })

  const workspaces: readonly (readonly [file: string, text: string, isMember: boolean])[] = [
    ['package.json', '{ "workspaces": ["apps/*"] }', true],
    ['package.json', '{ "workspaces": ["./apps/*/"] }', true],
    ['package.json', '{ "workspaces": { "packages": ["**"] } }', true],
    ['package.json', '{ "workspaces": ["apps/a"] }', true],
    ['package.json', '{ "workspaces": ["apps/*", "!apps/a"] }', false],
    ['package.json', '{ "workspaces": ["!apps/a", "apps/*"] }', true],
    ['package.json', '{ "workspaces": ["*"] }', false],
    ['package.json', '{ "workspaces": [] }', false],
    ['package.json', '{ "workspaces": true }', false],
    ['package.json', '{ "workspaces": [1, "apps/*"] }', true],
    ['pnpm-workspace.yaml', 'packages:\n  - apps/*\n', true],
    ['pnpm-workspace.yaml', "packages: ['apps/**', '!**/a']\n", false],
    ['pnpm-workspace.yaml', 'allowBuilds: { esbuild: true }\n', false],
    ['pnpm-workspace.yaml', '', false],
    ['pnpm-workspace.yaml', 'packages: [\n', false],
  ]

  it.each(workspaces)('in a workspace with the %s %j', async (file, text, isMember) => {
    const cwd = createTemporaryFolder()
    writeFileSync(join(cwd, file), text)
    const { stderr } = await create(cwd, ['apps/a', '--no-git', ...quick], author)
    const { project } = JSON.parse(readFileSync(join(cwd, 'apps/a/.api/manifest.json'), 'utf8'))
    expect(project.workspace).toBe(isMember ? true : undefined)
    expect(existsSync(join(cwd, 'apps/a/Dockerfile.dockerignore'))).toBe(isMember)
    expect(stderr.includes(`the workspace ${cwd} does not include apps/a`)).toBe(!isMember)
    if (!isMember) expect(readFileSync(join(cwd, file), 'utf8')).toBe(text)
  })

  const settings: readonly (readonly [before: string, after: string])[] = [
    ["packages: ['*']", "packages: ['*']\nallowBuilds:\n  esbuild: true\n"],
    ["{ packages: ['*'] }\n", "{ packages: [ '*' ], allowBuilds: { esbuild: true } }\n"],
    [
      '# Ours\npackages:\n  - "*" # all\n\nallowBuilds:\n  sharp: true\n',
      '# Ours\npackages:\n  - "*" # all\n\nallowBuilds:\n  sharp: true\n  esbuild: true\n',
    ],
    ["packages: ['*']\nallowBuilds: { esbuild: false }\n", ''],
  ]

  it.each(settings)('decides about install scripts in the settings %j', async (before, after) => {
    const cwd = createTemporaryFolder()
    const file = join(cwd, 'pnpm-workspace.yaml')
    writeFileSync(file, before)
    const dry = await create(cwd, ['a', ...quick, '--dry-run'], author)
    expect(dry.stdout.includes('../pnpm-workspace.yaml')).toBe(after !== '')
    expect(readFileSync(file, 'utf8')).toBe(before)
    const { stdout } = await create(cwd, ['a', ...quick], author)
    const line = '  updated    ../pnpm-workspace.yaml  +allowBuilds.esbuild'
    expect(stdout.includes(line)).toBe(after !== '')
    expect(readFileSync(file, 'utf8')).toBe(after || before)
  })

  it('keeps .env out of an image that is built in the root of a workspace', async () => {
    const cwd = createTemporaryFolder()
    writeFileSync(join(cwd, 'package.json'), '{ "workspaces": ["*"] }')
    mkdirSync(join(cwd, 'a'))
    const file = join(cwd, 'a/Dockerfile.dockerignore')
    writeFileSync(file, '.env\n')
    const { stdout } = await create(cwd, ['a', '--force', ...quick], author)
    expect(stdout).toContain('updated    Dockerfile.dockerignore  +**/.env')
    expect(readFileSync(file, 'utf8')).toBe('.env\n**/.env\n')
    const again = await create(cwd, ['a', '--force', ...quick], author)
    expect(again.stdout).not.toContain('+**/.env')
  })

  it('has its workflow in the README inside a repository', async () => {
    const cwd = createTemporaryFolder()
    git(cwd, 'init', '--quiet')
    await create(cwd, ['services/a', ...quick], author)
    const readme = readFileSync(join(cwd, 'services/a/README.md'), 'utf8')
    expect(readme).toContain('As `.github/workflows/a.yml` there:')
    expect(readme).toContain('        working-directory: services/a\n')
    expect(readme).toContain('`docker build -t a .` builds an image')
    expect(existsSync(join(cwd, 'services/a/.github'))).toBe(false)
    await create(cwd, ['b', '--template', 'minimal', ...quick], author)
    expect(readFileSync(join(cwd, 'b/README.md'), 'utf8')).not.toContain('workflow')
    git(cwd, 'init', '--quiet', 'own')
    await create(cwd, ['own', ...quick], author)
    expect(existsSync(join(cwd, 'own/.github/workflows/ci.yml'))).toBe(true)
  })

  it('names what a package.json that it keeps lacks, as a command that adds it', async () => {
    const cwd = createTemporaryFolder()
    const file = join(cwd, 'package.json')
    const own = {
      name: 'own',
      type: 'module',
      scripts: { test: 'jest' },
      dependencies: { zod: '^3.0.0' },
      devDependencies: { express: '^4.0.0' },
    }
    writeFileSync(file, JSON.stringify(own))
    const { stderr } = await create(cwd, ['.', '--name', 'x', '--force', ...quick], author)
    expect(stderr).toContain('note: package.json was kept and lacks what the project needs')
    const command = /^ +(npm pkg set .+)$/m.exec(stderr)?.[1] ?? ''
    execFileSync('bash', ['-c', command], { cwd })
    const now = JSON.parse(readFileSync(file, 'utf8'))
    expect(now).toMatchObject(own)
    const fresh = createTemporaryFolder()
    await create(fresh, ['y', '--no-git', ...quick], author)
    const { dependencies, devDependencies, scripts } = JSON.parse(
      readFileSync(join(fresh, 'y/package.json'), 'utf8'),
    )
    expect(now.scripts).toEqual({ ...scripts, test: 'jest' })
    const { express, zod, ...others } = dependencies
    expect([express, zod]).not.toContain(undefined)
    expect(now.dependencies).toEqual({ ...others, zod: '^3.0.0' })
    expect(now.devDependencies).toEqual({ ...devDependencies, express: '^4.0.0' })
    const again = await create(cwd, ['.', '--name', 'x', '--force', ...quick], author)
    expect(again.stderr).not.toContain('package.json was kept')
  })

  it('skips git when it is not installed, and the commit when user.email is not set', async () => {
    const cwd = createTemporaryFolder()
    const missing = await create(cwd, ['a', ...quick], { PATH: '/nowhere' })
    expect(missing.stdout).toContain('git        skipped: git is not installed')
    const env = { HOME: cwd, XDG_CONFIG_HOME: cwd, GIT_CONFIG_NOSYSTEM: '1' }
    const unknown = await create(cwd, ['b', ...quick], env)
    expect(unknown.stdout).toContain('initialized, no commit: user.email is not set in git')
  })

  it('GEN-12: keeps the project and prints how to continue when the installation fails', async () => {
    const cwd = createTemporaryFolder()
    const closed = { npm_config_registry: 'http://127.0.0.1:9/', npm_config_fetch_retries: '0' }
    const env = { ...closed, npm_config_cache: join(cwd, 'cache') }
    const { code, stderr } = await create(cwd, ['my-service', '--yes', '--no-git'], env)
    expect(code).toBe(6)
    expect(stderr).toContain('error: my-service was created, but npm failed')
    expect(stderr).toContain('continue with: cd my-service && npm install')
    expect(existsSync(join(cwd, 'my-service/src/server.ts'))).toBe(true)
  })

  it('reports a failure of git, and keeps the project', async () => {
    const cwd = createTemporaryFolder()
    const env = {
      ...author,
      GIT_CONFIG_COUNT: '2',
      GIT_CONFIG_KEY_1: 'commit.gpgsign',
      GIT_CONFIG_VALUE_1: 'true',
    }
    const unsigned = {
      ...env,
      GIT_CONFIG_COUNT: '3',
      GIT_CONFIG_KEY_2: 'gpg.program',
      GIT_CONFIG_VALUE_2: '/nowhere',
    }
    const { code, stderr } = await create(cwd, ['my-service', ...quick], unsigned)
    expect(code).toBe(6)
    expect(stderr).toContain('was created, but git failed')
    expect(existsSync(join(cwd, 'my-service/src/server.ts'))).toBe(true)
  })
})
