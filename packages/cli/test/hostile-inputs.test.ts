import { constantFrom, oneof, record, sample } from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parseCode } from '../src/lib/code/parse-code.ts'
import { CliError } from '../src/lib/errors/cli-error.ts'
import { renderDroppedIndex, renderFilling } from '../src/lib/fields-edit/render-migration.ts'
import { parseConfig } from '../src/lib/project/config.ts'
import { type Manifest } from '../src/lib/project/manifest.ts'
import { type Project } from '../src/lib/project/open-project.ts'
import { addMount } from '../src/lib/registry/edit-registry.ts'
import { renderResource, toRouterSpecifier } from '../src/lib/resource/render-resource.ts'
import { type GenerateRequest, resolveRequest } from '../src/lib/resource/resolve-request.ts'
import { hostileTexts, toHarmless } from './hostile-texts.ts'
import { toShape } from './syntax-shape.ts'

// With another seed: HOSTILE_SEED=2 FULL_TESTS=1 npx vitest run packages/cli/test/hostile-inputs.test.ts
const runs = Number(process.env['HOSTILE_INPUTS'] ?? 3000)
const seed = Number(process.env['HOSTILE_SEED'] ?? 1)

const written = { cli: '0.1.0', files: {} }

const manifest: Manifest = {
  version: 1,
  cli: '0.1.0',
  template: 'default',
  resources: {
    articles: {
      ...written,
      name: 'articles',
      model: 'Article',
      fields: ['slug:string:unique'],
      options: { key: 'slug' },
    },
  },
}

const project: Project = {
  root: '/nowhere',
  config: parseConfig('{}'),
  manifest,
  dependencies: {},
}

const registry = `import { createRegistry } from '@create-api/core'
// <api:imports>
// </api:imports>

export const routes = createRegistry()
// <api:mounts>
// </api:mounts>
`

/** A place of a command line that takes text of the user. */
interface Input {
  /** What a message calls it, if not by its text. */
  readonly option: string
  readonly toRequest: (words: string) => GenerateRequest
}

const posts = { name: 'posts', fields: ['title:string'] }

const ofOption = (
  option: 'access' | 'key' | 'path' | 'plural' | 'singular' | 'under',
  before = '',
) => ({
  option: `--${option}`,
  toRequest: (words: string) => ({ ...posts, [option]: before + words }),
})

const ofField = (toField: (words: string) => string) => ({
  option: 'field',
  toRequest: (words: string) => ({ ...posts, fields: [...posts.fields, toField(words)] }),
})

const withoutColons = (words: string): string => words.replaceAll(':', String.raw`\:`)

const inputs: Readonly<Record<string, Input>> = {
  name: { option: 'resource name', toRequest: (name) => ({ ...posts, name }) },
  singular: ofOption('singular'),
  plural: ofOption('plural'),
  path: ofOption('path', '/'),
  'path below /api': ofOption('path', '/api/'),
  access: ofOption('access'),
  rule: ofOption('access', 'rule:'),
  role: ofOption('access', 'role:'),
  'role of an action': ofOption('access', 'read=public,write=role:'),
  key: ofOption('key'),
  under: ofOption('under'),
  field: ofField((words) => words),
  'name of a field': ofField((words) => `${words}:string:unique`),
  'name of a member': ofField((words) => `address.${words}:string`),
  type: ofField((words) => `body:${words}`),
  modifier: ofField((words) => `body:text:${words}`),
  reference: ofField((words) => `author:ref:${words}`),
  choice: ofField((words) => `state:enum:draft,${words}`),
  'default text': ofField((words) => `body:text:default=${withoutColons(words)}`),
  'default URL': ofField(
    (words) => `link:url:default=https\\://example.org/${withoutColons(words)}`,
  ),
  'default address': ofField((words) => `mail:email:default=${withoutColons(words)}@example.org`),
  'default date': ofField((words) => `at:date:default=${withoutColons(words)}`),
  pattern: ofField((words) => `code:string:match=${withoutColons(words)}`),
  bound: ofField((words) => `size:number:min=${withoutColons(words)}`),
}

const variants: Readonly<Record<string, Partial<GenerateRequest>>> = {
  plain: {},
  owned: { access: 'owner' },
  nested: { under: 'articles' },
  tenant: { tenant: true },
  soft: { softDelete: true },
}

interface Written {
  readonly path: string
  readonly text: string
}

async function generate(request: GenerateRequest): Promise<readonly Written[]> {
  const { parts, resource } = resolveRequest(project, request)
  const { plural, router } = resource.names
  const mount = { router, specifier: toRouterSpecifier(project, plural), path: resource.path }
  const { source } = await addMount(registry, mount)
  const migrations = resource.fields.map((field) => ({ field, time: '20260101000000' }))
  return [
    ...(await renderResource(project, resource, parts)),
    ...(await Promise.all(migrations.map((one) => renderFilling(project, resource, one)))),
    ...(await Promise.all(migrations.map((one) => renderDroppedIndex(project, resource, one)))),
    { path: 'src/routes.ts', text: source },
  ]
}

// The words of generated code, some of which would have two meanings as names.
async function listOwnWords(): Promise<readonly string[]> {
  const files = await Promise.all(
    Object.values(variants).map((variant) => generate({ ...posts, ...variant })),
  )
  return [...new Set(files.flat().flatMap(({ text }) => text.match(/[A-Za-z_]\w*/g) ?? []))]
}

async function attempt<Result>(run: () => Promise<Result>): Promise<Result | CliError> {
  try {
    return await run()
  } catch (error) {
    if (error instanceof CliError) return error
    throw error
  }
}

function isNamed(words: readonly string[], { details, hint = '', message }: CliError): boolean {
  const shown = [message, hint, ...details].join('\n').toLowerCase()
  return words
    .flatMap((word) => [word, JSON.stringify(word), withoutColons(word)])
    .some((word) => shown.includes(word.toLowerCase()))
}

// Babel reports what TypeScript's parser leaves to its checker, such as a name that is declared twice.
async function findFault(text: string): Promise<string | undefined> {
  try {
    toShape(text)
    await parseCode(text)
    return undefined
  } catch (error) {
    return String(error)
  }
}

// A pattern decides how a test varies its values.
function isFree(kind: string, path: string): boolean {
  return kind === 'pattern' && /\.test\.ts$|migrations/.test(path)
}

describe('hostile inputs', () => {
  it(`are refused by name, or stay what they are in a resource: ${runs}`, async () => {
    const cases = sample(
      record({
        kind: constantFrom(...Object.keys(inputs)),
        variant: constantFrom(...Object.keys(variants)),
        words: oneof(
          { weight: 3, arbitrary: hostileTexts },
          { weight: 1, arbitrary: constantFrom(...(await listOwnWords())) },
        ),
      }),
      { seed, numRuns: runs },
    )
    const faults: unknown[] = []
    let compared = 0
    for (const one of cases) {
      const { kind, variant, words } = one
      const input = inputs[kind]
      if (input === undefined) continue
      const toRequest = (text: string) => ({ ...variants[variant], ...input.toRequest(text) })
      const result = await attempt(() => generate(toRequest(words)))
      if (result instanceof CliError) {
        if (!isNamed([words, input.option], result)) faults.push(['not named', one, result.message])
        continue
      }
      const harmless = await attempt(() => generate(toRequest(toHarmless(words))))
      for (const [index, { path, text }] of result.entries()) {
        const fault = await findFault(text)
        if (fault !== undefined) faults.push([fault, path, one])
        if (harmless instanceof CliError || isFree(kind, path)) continue
        compared += 1
        if (toShape(text) !== toShape(harmless[index]?.text ?? ''))
          faults.push(['another shape', path, one])
      }
      if (faults.length > 9) break
    }
    expect(faults).toEqual([])
    expect(compared).toBeGreaterThan(runs * 2)
  }, 1_200_000)
})
