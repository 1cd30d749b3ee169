import { execFileSync, spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { parse } from 'yaml'

const root = path.resolve(import.meta.dirname, '..')
const folders = readdirSync(path.join(root, 'packages')).map((name) => `packages/${name}`)
const manifests = [...folders, 'templates'].map((folder) =>
  JSON.parse(readFileSync(path.join(root, folder, 'package.json'), 'utf8')),
)

function releaseIn(cwd: string, ...args: string[]): { status: number | null; output: string } {
  const script = path.join(root, 'scripts/release/release.js')
  const options = { cwd, encoding: 'utf8' } as const
  const { status, stderr, stdout } = spawnSync(process.execPath, [script, ...args], options)
  return { status, output: `${stdout}${stderr}` }
}

const release = (...args: string[]): ReturnType<typeof releaseIn> => releaseIn(root, ...args)

// A repository with one package, all of it committed.
function createRepository(changelog: string): string {
  const folder = mkdtempSync(path.join(tmpdir(), 'release-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  for (const name of ['packages', 'examples', 'templates']) mkdirSync(path.join(folder, name))
  const manifest = {
    name: 'one',
    version: '1.0.0-rc.1',
    repository: { url: 'git+https://example.com/one.git' },
    publishConfig: { provenance: true },
  }
  writeFileSync(path.join(folder, 'templates/package.json'), JSON.stringify(manifest, null, 2))
  writeFileSync(path.join(folder, 'CHANGELOG.md'), `## [Unreleased]\n${changelog}`)
  const author = ['-c', 'user.name=Test', '-c', 'user.email=test@example.com']
  execFileSync('git', ['init', '--quiet'], { cwd: folder })
  execFileSync('git', ['add', '.'], { cwd: folder })
  execFileSync('git', [...author, 'commit', '--quiet', '-m', 'First'], { cwd: folder })
  return folder
}

describe('npm run release', () => {
  it('shows what it would do to every package, and changes nothing', () => {
    const read = (): string =>
      execFileSync('git', ['status', '--porcelain'], { cwd: root }).toString()
    const before = read()
    const { status, output } = release('99.0.0', '--dry-run')
    expect(status).toBe(0)
    for (const { name } of manifests) {
      expect(output).toMatch(
        new RegExp(
          `^would publish ${name}@99\\.0\\.0 \\(\\d+ files, [\\d.]+ MB\\) as latest$`,
          'm',
        ),
      )
    }
    expect(output).toContain('would write CHANGELOG.md\n')
    expect(output).toContain('would commit, and tag v99.0.0\n')
    expect(read()).toBe(before)
  })

  it('publishes a package after those that it depends on', () => {
    const { output } = release('--dry-run')
    const order = Array.from(output.matchAll(/would publish (\S+)@\d/g), ([, name]) => name)
    expect(order).toHaveLength(manifests.length)
    const at = (name: string): number => order.indexOf(name)
    expect(at('create-api')).toBeGreaterThan(at('@create-api/templates'))
  })

  it.each([
    ['one', 'release: one is not a version such as 1.2.0 or 1.2.0-rc.1\n'],
    ['0.0.1', 'release: 0.0.1 is not newer than'],
  ])('rejects the version %s', (version, message) => {
    const { status, output } = release(version, '--dry-run')
    expect(status).toBe(1)
    expect(output).toContain(message)
  })

  it('releases a version after its candidates', () => {
    const { output, status } = releaseIn(createRepository('\n- A line.\n'), '1.0.0', '--dry-run')
    expect(output).toContain('version 1.0.0-rc.1 -> 1.0.0\n')
    expect(status).toBe(0)
  })

  it('rejects a release without a version, without changes, or of what is not committed', () => {
    const empty = createRepository('')
    expect(releaseIn(empty).output).toContain('release: which version? Usage: npm run release')
    expect(releaseIn(empty, '1.0.0').output).toContain('has nothing under "Unreleased"')
    const edited = createRepository('\n- A line.\n')
    writeFileSync(path.join(edited, 'new.txt'), '')
    expect(releaseIn(edited, '1.0.0').output).toContain('the working tree has changes')
  })

  it('publishes only what is tagged, and what npm can attest', () => {
    const { output, status } = releaseIn(createRepository(''), '--publish')
    expect(output).toContain('release: HEAD is not tagged v1.0.0-rc.1')
    expect(status).toBe(1)
    const bare = createRepository('')
    writeFileSync(path.join(bare, 'templates/package.json'), '{"name":"one","version":"1.0.0"}')
    expect(releaseIn(bare, '--publish').output).toBe(
      'release: templates/package.json needs a repository: npm proves the origin by it; ' +
        'templates/package.json needs publishConfig.provenance\n',
    )
  })

  it('gives all packages one version, public access and provenance', () => {
    for (const { publishConfig, version } of manifests) {
      expect(version).toBe(manifests[0].version)
      expect(publishConfig).toEqual({ access: 'public', provenance: true })
    }
  })
})

it('the workflows run the gate, and the tests on each system and version of Node', () => {
  const read = (name: string) =>
    parse(readFileSync(path.join(root, '.github/workflows', name), 'utf8'))
  const { check, test } = read('ci.yml').jobs
  const [gate, kills] = check.steps.slice(-2)
  expect(gate.run).toBe('.ci/run')
  expect([kills.run, kills.env]).toEqual([
    expect.stringMatching(/^npm run e2e -- .*commands.* .*upgrade/),
    { FULL_TESTS: '1' },
  ])
  expect(test.strategy.matrix).toEqual({
    os: ['ubuntu-latest', 'macos-latest', 'windows-latest'],
    node: [20, 22, 24, 26],
    exclude: [{ os: 'ubuntu-latest', node: 20 }],
  })
  expect(test.steps.slice(-3).map((step: { run: string }) => step.run)).toEqual([
    'npm ci',
    expect.stringContaining('npm --prefix checks ci'),
    'npm test -- --project checks --project system',
  ])
  expect(read('release.yml').permissions).toEqual({ contents: 'read', 'id-token': 'write' })
})
