import { constantFrom, oneof, record, sample } from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parseCode } from '../src/lib/code/parse-code.ts'
import { CliError } from '../src/lib/errors/cli-error.ts'
import { renderDroppedIndex, renderFilling } from '../src/lib/fields-edit/render-migration.ts'
import { parseConfig } from '../src/lib/project/config.ts'
import { type Manifest } from '../src/lib/project/manifest.ts'
import { parseManifest } from '../src/lib/project/manifest.ts'
import { type Project } from '../src/lib/project/open-project.ts'
import { addMount } from '../src/lib/registry/edit-registry.ts'
import { renderResource, toRouterSpecifier } from '../src/lib/resource/render-resource.ts'
import { parts } from '../src/lib/resource/resource.ts'
import {
  type GenerateRequest,
  type ResolvedRequest,
  resolveRequest,
} from '../src/lib/resource/resolve-request.ts'
import { renderCurrentProject, resolveRecord } from '../src/lib/upgrade/render-current.ts'
import { createEdits } from './hostile-edits.ts'
import { hostileTexts, toHarmless } from './hostile-texts.ts'
import { toShape } from './syntax-shape.ts'

// With another seed: HOSTILE_SEED=2 FULL_TESTS=1 npx vitest run packages/cli/test/hostile-inputs.system.test.ts
const runs = Number(process.env['HOSTILE_INPUTS'] ?? 1000)
// Each of these writes several resources.
const manifestRuns = Math.ceil(runs / 5)
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

const inputs = new Map(
  Object.entries<Input>({
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
  }),
)

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

async function generate(
  request: GenerateRequest,
  of: Project = project,
): Promise<readonly Written[]> {
  const resolved = resolveRequest(of, request)
  const { resource } = resolved
  const migrations = resource.fields.map((field) => ({ field, time: '20260101000000' }))
  return [
    ...(await renderParts(of, resolved)),
    ...(await Promise.all(migrations.map((one) => renderFilling(of, resource, one)))),
    ...(await Promise.all(migrations.map((one) => renderDroppedIndex(of, resource, one)))),
  ]
}

async function renderParts(
  of: Project,
  { parts: chosen, resource }: Pick<ResolvedRequest, 'parts' | 'resource'>,
): Promise<readonly Written[]> {
  const { plural, router } = resource.names
  const mount = { router, specifier: toRouterSpecifier(of, plural), path: resource.path }
  const { source } = await addMount(registry, mount)
  return [...(await renderResource(of, resource, chosen)), { path: 'src/routes.ts', text: source }]
}

// The words of generated code, some of which would have two meanings as names.
async function listOwnWords(): Promise<readonly string[]> {
  const files = await Promise.all(
    Object.values(variants).map((variant) => generate({ ...posts, ...variant })),
  )
  return [...new Set(files.flat().flatMap(({ text }) => text.match(/[A-Za-z_]\w*/g) ?? []))]
}

interface Trial {
  /** What a refusal names: the text, or the place where it is. */
  readonly names: readonly string[]
  /** Writes files with what takes the place of the text. */
  readonly write: (toWords: (words: string) => string) => Promise<readonly Written[]>
  /** Whether the text decides how a file is written. */
  readonly isFree?: (path: string) => boolean
}

// What is wrong with the files of a text, compared with those of a harmless text; undefined if nothing could be compared.
async function findFaults({ isFree, names, write }: Trial): Promise<readonly string[] | undefined> {
  const files = await attempt(() => write(String))
  if (typeof files === 'string') return [files]
  if (files instanceof CliError)
    return isNamed(names, files) ? undefined : [`unnamed: ${files.message}`]
  const checked = await Promise.all(files.map(({ text }) => check(text)))
  const faults = checked.flatMap(({ problem }, index) =>
    problem === undefined ? [] : [`${files[index]?.path}: ${problem}`],
  )
  if (faults.length > 0) return faults
  const harmless = await attempt(() => write(toHarmless))
  if (typeof harmless === 'string' || harmless instanceof CliError) return undefined
  const shapes = await Promise.all(harmless.map(({ text }) => check(text)))
  return files
    .filter(({ path }, index) => !isFree?.(path) && checked[index]?.shape !== shapes[index]?.shape)
    .map(({ path }) => `${path} has another shape`)
}

async function attempt<Result>(run: () => Promise<Result>): Promise<Result | CliError | string> {
  try {
    return await run()
  } catch (error) {
    return error instanceof CliError ? error : String(error)
  }
}

function isNamed(names: readonly string[], { details, hint = '', message }: CliError): boolean {
  const shown = [message, hint, ...details].join('\n').toLowerCase()
  return names
    .flatMap((name) => [name, JSON.stringify(name), withoutColons(name)])
    .some((name) => shown.includes(name.toLowerCase()))
}

interface Checked {
  readonly problem?: string
  readonly shape?: string
}

// Most files of a trial are those of the one before.
const checks = new Map<string, Promise<Checked>>()

function check(text: string): Promise<Checked> {
  const known = checks.get(text)
  if (known) return known
  if (checks.size > 999) checks.clear()
  const found = checkOnce(text)
  checks.set(text, found)
  return found
}

// Babel reports what TypeScript's parser leaves to its checker, such as a name that is declared twice.
async function checkOnce(text: string): Promise<Checked> {
  try {
    const shape = toShape(text)
    await parseCode(text)
    return { shape }
  } catch (error) {
    return { problem: String(error) }
  }
}

// Tries all cases, until there are many faults.
async function tryAll<Case>(
  cases: readonly Case[],
  toTrial: (one: Case) => Trial,
): Promise<{ readonly faults: readonly unknown[]; readonly compared: number }> {
  const faults: unknown[] = []
  let compared = 0
  for (const one of cases) {
    const trial = toTrial(one)
    const found = await findFaults(trial)
    if (found?.length === 0) compared += 1
    for (const fault of found ?? []) faults.push([fault, one, trial.names])
    if (faults.length > 9) break
  }
  return { faults, compared }
}

// Has every key that a command reads.
const fullManifest = {
  ...manifest,
  project: {
    name: '@example/my-service',
    pm: 'npm',
    client: true,
    cli: '0.1.0',
    files: { 'package.json': 'sha256-1', 'src/app.ts': 'sha256-2' },
  },
  resources: {
    posts: {
      name: 'posts',
      model: 'Post',
      fields: ['slug:string:unique', 'state:enum:draft,live:default=draft', 'author:ref:User'],
      options: {
        access: 'read=public,write=owner|role:admin|rule:editors',
        key: 'slug',
        path: '/api/v2/posts',
        actions: 'list,get,create,replace,update,delete',
        timestamps: 'false',
        'soft-delete': 'true',
        inflection: 'post:posts',
      },
      cli: '0.1.0',
      files: {
        'src/resources/posts/posts.model.ts': { rendered: 'sha256-3', written: 'sha256-4' },
      },
    },
    comments: {
      name: 'comments',
      model: 'Comment',
      fields: ['body:text'],
      options: { access: 'owner', under: 'posts' },
      cli: '0.1.0',
      files: {},
    },
    teams: {
      name: 'teams',
      model: 'Team',
      fields: ['title'],
      options: { tenant: 'header', access: 'user' },
      cli: '0.1.0',
      files: {},
    },
  },
}

const others: readonly unknown[] = [
  null,
  true,
  -1,
  1,
  '',
  'posts',
  '..',
  [],
  {},
  [[]],
  ['title'],
  [1],
]

// What `api upgrade` writes, and `api generate resource` under and beside the resources.
async function readBack(document: unknown): Promise<readonly Written[]> {
  const of = { ...project, manifest: parseManifest(JSON.stringify(document), '0.1.0') }
  const { files } = await renderCurrentProject(of, () => undefined)
  const texts: Written[] = files.filter(({ path }) => path.endsWith('.ts'))
  for (const one of Object.values(of.manifest.resources)) {
    texts.push(...(await renderParts(of, resolveRecord(of, one, parts))))
    if (one.options['under'] !== undefined) continue
    const fields = ['body:text', `of:ref:${one.model}`]
    const remarks = { name: 'remarks', fields, under: one.name }
    texts.push(...(await renderParts(of, resolveRequest(of, remarks))))
  }
  return texts
}

describe('GEN-13 hostile inputs', () => {
  it(`are refused by name, or stay what they are in a resource: ${runs}`, async () => {
    const cases = record({
      input: constantFrom(...inputs),
      variant: constantFrom(...Object.entries(variants)),
      words: oneof(
        { weight: 3, arbitrary: hostileTexts },
        { weight: 1, arbitrary: constantFrom(...(await listOwnWords())) },
      ),
    })
    const { compared, faults } = await tryAll(
      sample(cases, { seed, numRuns: runs }),
      ({ input: [kind, { option, toRequest }], variant: [, variant], words }) => ({
        names: [words, option],
        write: (toWords) => generate({ ...variant, ...toRequest(toWords(words)) }),
        // A pattern decides how a test varies its values.
        isFree: (path) => kind === 'pattern' && /\.test\.ts$|migrations/.test(path),
      }),
    )
    expect(faults).toEqual([])
    expect(compared).toBeGreaterThan(runs / 5)
  }, 1_200_000)

  it(`in manifests are refused by key, or stay what they are: ${manifestRuns}`, async () => {
    expect(await readBack(fullManifest)).not.toHaveLength(0)
    const { apply, edits, places } = createEdits(fullManifest, others)
    const { compared, faults } = await tryAll(
      sample(edits, { seed, numRuns: manifestRuns }),
      (edit) => ({
        names: [edit.words, ...(places[edit.place] ?? [])],
        write: (toWords) => readBack(apply(fullManifest, edit, toWords)),
      }),
    )
    expect(faults).toEqual([])
    expect(compared).toBeGreaterThan(manifestRuns / 5)
  }, 1_200_000)
})
