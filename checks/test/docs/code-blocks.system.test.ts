import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import * as core from '@create-api/core'
import * as auth from '@create-api/core/auth'
import * as bulk from '@create-api/core/bulk'
import * as exports from '@create-api/core/exports'
import * as live from '@create-api/core/live'
import * as metrics from '@create-api/core/metrics'
import * as audit from '@create-api/core/audit'
import * as personalData from '@create-api/core/personal-data'
import * as jobs from '@create-api/jobs'
import * as jobBullMq from '@create-api/jobs/bullmq'
import * as jobEvents from '@create-api/jobs/events'
import * as jobTesting from '@create-api/jobs/testing'
import * as mcp from '@create-api/mcp'
import * as migrations from '@create-api/core/migrations'
import * as pipeline from '@create-api/core/pipeline'
import * as resource from '@create-api/core/resource'
import * as tenants from '@create-api/core/tenants'
import * as testing from '@create-api/core/testing'
import * as signIn from '@create-api/sign-in'
import * as signInPasskeys from '@create-api/sign-in/passkeys'
import * as signInProviders from '@create-api/sign-in/providers'
import * as signInTesting from '@create-api/sign-in/testing'
import * as webhooks from '@create-api/webhooks'
import * as webhookReceiving from '@create-api/webhooks/receive'
import { describe, expect, it, onTestFinished } from 'vitest'
import { sections } from '../../../docs/.vitepress/sections.js'
import { findTypeErrors } from '../openapi/type-errors.ts'

interface Block {
  readonly page: string
  readonly line: number
  readonly language: string
  readonly code: string
  readonly before: string
}

const root = path.resolve(import.meta.dirname, '../../..')
const context = path.join(import.meta.dirname, 'context.ts')
const all = sections.flatMap((section) => section.pages.map(([, page]) => page))
const pages = all.filter((page) => !page.startsWith('reference/'))

// Pages whose code is run or compiled by tests of their own.
const tested: Readonly<Record<string, string>> = {
  cli: 'packages/cli/test/cli-docs.test.ts',
  client: 'checks/test/client/docs.system.test.ts',
  'coming-from': 'checks/test/docs/coming-from.system.test.ts',
  express: 'packages/core/test/express/types.system.test.ts',
  'getting-started': 'test/e2e/docs-pages.e2e.ts',
  'own-shapes': 'examples/own-shapes/src/docs.test.ts',
  recipes: 'checks/test/docs/recipes.system.test.ts',
  tutorial: 'test/e2e/docs-pages.e2e.ts',
}

// Examples of pages that are files of other tests, which run them.
const tests = path.join(root, 'packages/core/test')
const examples = new Set(
  readdirSync(tests, { recursive: true, encoding: 'utf8' })
    .filter((file) => /(^|\/)examples\/[^/]+\.ts$/.test(file))
    .map((file) => readFileSync(path.join(tests, file), 'utf8')),
)

function readBlocks(page: string): Block[] {
  const text = readFileSync(path.join(root, 'docs', `${page}.md`), 'utf8')
  return Array.from(
    text.matchAll(/^( *)```(\w*)[^\n]*\n([\s\S]*?)^\1```/gm),
    ({ index, 1: indent = '', 2: language = '', 3: code = '' }) => ({
      page,
      line: text.slice(0, index).split('\n').length,
      language,
      before: text.slice(0, index),
      code: code.replaceAll(new RegExp(`^${indent}`, 'gm'), ''),
    }),
  )
}

const blocks = pages.flatMap(readBlocks)
// Of the reference, the examples of TSDoc; its other blocks are declarations.
const documented = all
  .filter((page) => page.startsWith('reference/'))
  .flatMap(readBlocks)
  .filter(({ before }) => before.endsWith('**Example**\n\n'))
const typed = [
  ...documented,
  ...blocks.filter(
    ({ page, language, code }) =>
      language === 'ts' && !Object.hasOwn(tested, page.split('/')[0] ?? '') && !examples.has(code),
  ),
]

// A page shows the essential lines: what the framework exports needs no import there, and what the rest of the application
// has is in `context.ts`.
function writeGlobals(file: string): void {
  const modules = {
    '@create-api/core': core,
    '@create-api/core/auth': auth,
    '@create-api/core/bulk': bulk,
    '@create-api/core/live': live,
    '@create-api/core/exports': exports,
    '@create-api/core/metrics': metrics,
    '@create-api/core/migrations': migrations,
    '@create-api/core/pipeline': pipeline,
    '@create-api/core/resource': resource,
    '@create-api/core/tenants': tenants,
    '@create-api/core/testing': testing,
    '@create-api/core/audit': audit,
    '@create-api/core/personal-data': personalData,
    '@create-api/jobs': jobs,
    '@create-api/jobs/bullmq': jobBullMq,
    '@create-api/jobs/events': jobEvents,
    '@create-api/jobs/testing': jobTesting,
    '@create-api/mcp': mcp,
    '@create-api/sign-in': signIn,
    '@create-api/sign-in/passkeys': signInPasskeys,
    '@create-api/sign-in/providers': signInProviders,
    '@create-api/sign-in/testing': signInTesting,
    '@create-api/webhooks': webhooks,
    '@create-api/webhooks/receive': webhookReceiving,
  }
  const own = Array.from(
    readFileSync(context, 'utf8').matchAll(/^export (?:declare )?(const|function|type) (\w+)/gm),
    ([, kind, name = '']) => ({ kind, name }),
  )
  const values = new Map([
    ...own.flatMap(({ kind, name }) => (kind === 'type' ? [] : [[name, context] as const])),
    ...Object.entries(modules).flatMap(([module, exported]) =>
      Object.keys(exported).map((name) => [name, module] as const),
    ),
  ])
  const types = own.filter(({ kind }) => kind === 'type')
  const lines = [
    ...types.map(({ name }) => `type ${name} = import('${context}').${name}`),
    ...Array.from(values, ([name, at]) => `const ${name}: typeof import('${at}')['${name}']`),
  ]
  writeFileSync(file, `export {}\ndeclare global {\n${lines.join('\n')}\n}\n`)
}

// Files that pages import and do not show.
const others = {
  'app.ts': ['api'],
  'posts.validation.ts': ['post', 'author'],
  'routes.ts': ['routes'],
}

function findErrors(group: readonly Block[]): string[] {
  const project = mkdtempSync(path.join(tmpdir(), 'create-api-blocks-'))
  onTestFinished(() => rmSync(project, { recursive: true }))
  const modules = path.join(project, 'pages')
  mkdirSync(modules)
  symlinkSync(path.join(root, 'node_modules'), path.join(project, 'node_modules'))
  symlinkSync(path.join(root, 'checks/node_modules'), path.join(modules, 'node_modules'))
  writeFileSync(path.join(project, 'package.json'), '{"type":"module"}')
  const globals = path.join(modules, 'globals.d.ts')
  writeGlobals(globals)
  const files = group.map(({ page, line, code }) => {
    const folder = path.join(modules, page)
    const [, name = `src/line-${line}.ts`] = /^\/\/ (\S+\.ts)\n/.exec(code) ?? []
    const file = path.join(folder, name)
    mkdirSync(path.dirname(file), { recursive: true })
    writeFileSync(file, `${code}\nexport {}\n`)
    return file
  })
  for (const folder of new Set(files.map((file) => path.dirname(file))))
    for (const [name, exported] of Object.entries(others)) {
      const file = path.join(folder, name)
      if (!files.includes(file))
        writeFileSync(file, `export { ${exported.join(', ')} } from '${context}'\n`)
    }
  const options = { customConditions: ['@create-api/source'], types: ['node'] }
  const errors = findTypeErrors([...files, globals], options)
  return errors.map((error) => error.replace(`${modules}/`, ''))
}

describe('the code of docs/', () => {
  it('has correct types', () => {
    // A page that adds to the types of the framework is a program for itself.
    const adding = new Set(
      typed.filter(({ code }) => code.includes('declare module')).map(({ page }) => page),
    )
    const plain = typed.filter(({ page }) => !adding.has(page))
    const groups = [
      plain,
      ...[...adding].map((page) => typed.filter((block) => block.page === page)),
    ]
    expect(groups.flatMap(findErrors)).toEqual([])
    expect(typed.length).toBeGreaterThan(90)
    expect(documented.length).toBeGreaterThan(45)
  })

  it.each(Object.entries(tested))('is run by tests of its own: %s', (page, file) => {
    expect(pages.some((name) => name === page || name.startsWith(`${page}/`))).toBe(true)
    expect(readFileSync(path.join(root, file), 'utf8')).toContain(page)
  })

  it('is JSON where it says so', () => {
    const json = blocks.filter(({ language }) => language === 'json')
    for (const { code, page, line } of json)
      expect(() => JSON.parse(code), `${page}.md:${line}`).not.toThrow()
    expect(json.length).toBeGreaterThan(10)
  })

  it('is in languages that tests know', () => {
    const languages = new Set(blocks.map(({ language }) => language))
    const known = ['', 'diff', 'js', 'json', 'nginx', 'sh', 'text', 'ts', 'tsx']
    expect([...languages].toSorted()).toEqual(known)
  })
})
