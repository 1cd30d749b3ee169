import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { listCommandErrors, listErrors } from '../src/lib/explain/errors.ts'
import { findNamed } from '../src/lib/explain/explanation.ts'
import { listOptions } from '../src/lib/explain/options.ts'
import { findUnknownOptions } from './find-unknown-options.ts'
import { createProject } from './run-program.ts'

const root = fileURLToPath(new URL('../../..', import.meta.url))
const skillFile = join(root, 'packages/cli/skills/create-api/SKILL.md')
const skill = readFileSync(skillFile, 'utf8')
const index = readFileSync(join(root, 'docs/llms.txt'), 'utf8')
const readAgents = async (): Promise<string> =>
  readFileSync(join(await createProject(), 'AGENTS.md'), 'utf8')

function readLinks(text: string): string[] {
  return Array.from(text.matchAll(/\]\(([^)\s]+)\)/g), ([, link = '']) => link)
}

function toAnchors(page: string): string[] {
  const headings = readFileSync(page, 'utf8').matchAll(/^#+ (.*)$/gm)
  return Array.from(headings, ([, title = '']) =>
    title
      .toLowerCase()
      .replaceAll(/[^\w\s-]/g, '')
      .replaceAll(' ', '-'),
  )
}

describe('docs/llms.txt', () => {
  it('is derived from the pages', () => {
    const script = join(root, 'scripts/docs/llms.js')
    expect(() => execFileSync(process.execPath, [script, '--check'])).not.toThrow()
  })

  it('has the parts of the format in their order, and links to files that exist', () => {
    const [title, summary, ...rest] = index.split('\n\n')
    expect(title).toBe('# create-api')
    expect(summary).toMatch(/^> .+\.$/)
    const sections = index.split(/^## /m).slice(1)
    expect(rest.join('\n').match(/^#+ /gm)).toHaveLength(sections.length)
    for (const section of sections)
      for (const line of section.trim().split('\n').slice(2))
        expect(line).toMatch(/^- \[.+\]\(\S+\.md\): .+\.$/)
    const links = readLinks(index)
    expect(links.filter((link) => !existsSync(join(root, 'docs', link)))).toEqual([])
    expect(links.length).toBeGreaterThan(40)
  })
})

describe('the skill', () => {
  it('has the front matter of the specification of Agent Skills', () => {
    const [, frontMatter = ''] = /^---\n([\s\S]*?)\n---\n/.exec(skill) ?? []
    const { description, license, name, ...others }: Record<string, string> = parse(frontMatter)
    expect(others).toEqual({})
    expect(license).toBe('MIT')
    expect(name).toBe(basename(dirname(skillFile)))
    expect(name).toMatch(/^(?=.{1,64}$)[a-z0-9]+(?:-[a-z0-9]+)*$/)
    expect(description?.length).toBeGreaterThan(50)
    expect(description?.length).toBeLessThanOrEqual(1024)
    expect(skill.split('\n').length).toBeLessThan(500)
  })

  it('links to pages and sections that exist', () => {
    const links = readLinks(skill)
    for (const link of links) {
      // In the package, docs/ is beside skills/.
      expect(link).toMatch(/^\.\.\/\.\.\/docs\//)
      const [page = '', anchor] = link.replace('../../', '').split('#')
      expect([link, existsSync(join(root, page))]).toEqual([link, true])
      if (anchor !== undefined) expect(toAnchors(join(root, page))).toContain(anchor)
    }
    expect(links.length).toBeGreaterThan(6)
  })
})

describe('AGENTS.md', () => {
  it('points to the files of the package by their paths', async () => {
    const text = await readAgents()
    const paths = Array.from(
      text.matchAll(/`node_modules\/create-api\/([^`]+)`/g),
      ([, path]) => path,
    )
    expect(paths).toEqual(['skills/create-api/SKILL.md', 'docs/llms.txt'])
  })
})

describe('the commands in texts for agents', () => {
  it('exist, with their options', async () => {
    const texts = [skill, index, await readAgents()]
    const commands = texts.flatMap((text) =>
      Array.from(text.matchAll(/`npx (?:--no-install )?api ([^`]+)`/g), ([, line = '']) => line),
    )
    expect(commands.length).toBeGreaterThan(15)
    expect(commands.filter((line) => findUnknownOptions('api', line).length > 0)).toEqual([])
  })

  it('explain what exists', () => {
    const words = Array.from(skill.matchAll(/npx api explain (\S+?)`/g), ([, word = '']) => word)
    const subjects = [listErrors(), listCommandErrors(), listOptions()]
    expect(words).toHaveLength(2)
    const counts = words.map((word) => subjects.flatMap((all) => findNamed(all, word)).length)
    expect(counts).toEqual([1, 1])
  })
})
