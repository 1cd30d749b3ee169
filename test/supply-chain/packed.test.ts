import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { sections } from '../../docs/.vitepress/sections.js'
import { readPackages } from '../../scripts/release/packages.js'
import { root } from './lock.ts'

const packed = z.array(
  z.object({ name: z.string(), files: z.array(z.object({ path: z.string() })) }),
)
// All that is published: a package without a row in the snapshot fails the test.
const folders: Readonly<Record<string, string>> = Object.fromEntries(
  readPackages().map(({ folder, manifest }) => [manifest.name, folder]),
)

function pack(): Map<string, string[]> {
  const workspaces = Object.values(folders).flatMap((folder) => ['-w', folder])
  const args = ['pack', '--dry-run', '--json', '--ignore-scripts', ...workspaces]
  const { stdout } = spawnSync('npm', args, { cwd: root, encoding: 'utf8', shell: false })
  const entries = Object.values(
    z.union([packed, z.record(z.string(), packed.element)]).parse(JSON.parse(stdout)),
  )
  return new Map(entries.map(({ name, files }) => [name, files.map(({ path: file }) => file)]))
}

// Names of chunks change with their contents, so only folder and extension are compared.
function toKinds(files: readonly string[]): string[] {
  const kinds = files.map((file) => {
    const folder = file.includes('/') ? `${file.split('/')[0]}/` : ''
    const name = path.basename(file)
    return folder === ''
      ? name
      : `${folder}*${/(\.d)?\.[a-z]+(\.map|\.hbs)?$/.exec(name)?.[0] ?? `/${name}`}`
  })
  return [...new Set(kinds)].toSorted((a, b) => (a < b ? -1 : 1))
}

const packages = pack()

describe('published files', () => {
  it('SUP-04 match the list of expected files', () => {
    const contents = Object.fromEntries(
      [...packages].map(([name, files]) => [name, toKinds(files)]),
    )
    expect(contents).toMatchSnapshot()
  })

  it.each(Object.keys(folders))('SUP-04 of %s contain no tests, secrets or data', (name) => {
    const files = packages.get(name) ?? []
    expect(files).toContain('package.json')
    const unwanted = files.filter(
      (file) =>
        /\.(?:test|bench)\.ts$|(?:^|\/)(?:\.data|coverage|node_modules)\//.test(file) ||
        /(?:^|\/)\.env$|\.(?:tgz|log|pem|key)$/.test(file),
    )
    // The test of generated projects is a template.
    expect(unwanted.filter((file) => !file.startsWith('project/'))).toEqual([])
  })

  it.each(Object.keys(folders))(
    'SUP-04 of %s have source maps that include their sources',
    (name) => {
      for (const file of packages.get(name)?.filter((one) => one.endsWith('.map')) ?? []) {
        const text = readFileSync(path.join(root, folders[name] ?? '', file), 'utf8')
        const { sources, sourcesContent = [] } = z
          .object({ sources: z.array(z.string()), sourcesContent: z.array(z.unknown()).optional() })
          .parse(JSON.parse(text))
        expect(sourcesContent.filter((content) => typeof content === 'string')).toHaveLength(
          sources.length,
        )
        expect(sources.filter((source) => path.isAbsolute(source))).toEqual([])
      }
    },
  )

  it('of the command line have every page of the documentation', () => {
    const pages = sections.flatMap((section) => section.pages.map(([, page]) => `docs/${page}.md`))
    const shipped = packages.get('create-api')?.filter((file) => file.startsWith('docs/')) ?? []
    expect(shipped.filter((file) => file.endsWith('.md')).toSorted()).toEqual(pages.toSorted())
  })

  it('SUP-05 the policy states how to report vulnerabilities and when they are fixed', () => {
    const policy = readFileSync(path.join(root, 'SECURITY.md'), 'utf8')
    expect(policy).toMatch(/critical\s+\| 48 hours/)
    expect(policy).toMatch(/high\s+\| 7 days/)
    expect(policy).toContain('npm audit signatures')
  })
})
