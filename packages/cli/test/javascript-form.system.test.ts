import { type Arbitrary, boolean, constantFrom, option, record, sample, subarray } from 'fast-check'
import ts from 'typescript'
import { expect, it } from 'vitest'
import { formatCode } from '../src/lib/code/prettier.ts'
import { CliError } from '../src/lib/errors/cli-error.ts'
import { renderDroppedIndex, renderFilling } from '../src/lib/fields-edit/render-migration.ts'
import { fieldTypes } from '../src/lib/fields/field-types.ts'
import { parseConfig } from '../src/lib/project/config.ts'
import { type Manifest } from '../src/lib/project/manifest.ts'
import { type Project } from '../src/lib/project/open-project.ts'
import { renderResource, type RenderedFile } from '../src/lib/resource/render-resource.ts'
import { type GenerateRequest, resolveRequest } from '../src/lib/resource/resolve-request.ts'

// With another seed: FORM_SEED=2 JAVASCRIPT_FORMS=1000 npx vitest run packages/cli/test/javascript-form.system.test.ts
const runs = Number(process.env['JAVASCRIPT_FORMS'] ?? 100)
const seed = Number(process.env['FORM_SEED'] ?? 1)

const written = { cli: '0.1.0', files: {} }

const manifest: Manifest = {
  version: 1,
  cli: '0.1.0',
  template: 'default',
  resources: {
    // A model with the name of a type of the framework.
    pages: { ...written, name: 'pages', model: 'Page', fields: ['title'], options: {} },
    articles: {
      ...written,
      name: 'articles',
      model: 'Article',
      fields: ['slug:string:unique'],
      options: { key: 'slug', access: 'owner', 'soft-delete': 'true' },
    },
    teams: {
      ...written,
      name: 'teams',
      model: 'Team',
      fields: ['title'],
      options: { tenant: 'path' },
    },
  },
}

function inLanguage(language: string): Project {
  const config = parseConfig(JSON.stringify({ language }))
  return { root: '/nowhere', config, manifest, dependencies: {} }
}

const typescript = inLanguage('typescript')
const javascript = inLanguage('javascript')

const fields = [
  'code:int:unique',
  'slug:string:unique',
  'status:enum:draft,live:default=draft',
  'tags:array:string',
  'page:ref:Page',
  'team:ref:Team:optional',
  'note:ref:Note:optional',
  'mine:ref:Article:optional',
  'lines:array:object lines.sku:string lines.count:int:min=1',
  'place:object:optional place.city:string',
  'name:string:match=^[a-z]{2,8}$',
  ...Object.entries(fieldTypes)
    .filter(([kind]) => !['object', 'enum', 'ref'].includes(kind))
    .flatMap(([kind], index) => [`of${index}:${kind}`, `or${index}:${kind}:optional`]),
]

const requests = record({
  name: constantFrom('notes', 'pages', 'news', 'scopes', 'blog-posts', 'posts', 'reads'),
  fields: subarray(fields, { minLength: 1 }),
  access: option(
    constantFrom(
      'public',
      'user',
      'owner',
      'role:admin',
      'rule:editors',
      'owner|role:admin',
      'read=public,create=user,update=owner,replace=rule:editors,delete=role:admin',
    ),
    { nil: undefined },
  ),
  under: option(constantFrom('articles', 'pages', 'teams'), { nil: undefined }),
  tenant: option(boolean(), { nil: undefined }),
  key: option(constantFrom('slug', 'code'), { nil: undefined }),
  actions: option(
    subarray(['list', 'get', 'create', 'replace', 'update', 'delete'] as const, { minLength: 1 }),
    { nil: undefined },
  ),
  timestamps: boolean(),
  softDelete: boolean(),
  export: boolean(),
  bulk: boolean(),
  collation: option(constantFrom('de'), { nil: undefined }),
})

type Drawn = typeof requests extends Arbitrary<infer Value> ? Value : never

// Without the options that exclude one another.
function toRequest({
  access,
  actions,
  fields: args,
  key,
  tenant,
  under,
  ...drawn
}: Drawn): GenerateRequest {
  const can = (action: string): boolean => actions?.some((one) => one === action) ?? true
  const ofTenant = under === 'teams' || (under === undefined && tenant === true)
  const chosen = under === 'articles' && access !== 'role:admin' ? 'owner' : access
  return {
    ...drawn,
    actions,
    under,
    fields: args
      .filter((field) => !field.startsWith(`${under?.slice(0, -1)}:`))
      .filter((field) => ofTenant || !field.startsWith('team:'))
      .flatMap((field) => field.split(' ')),
    access: ofTenant && chosen?.includes('public') ? 'user' : chosen,
    tenant: ofTenant,
    key: args.some((field) => field.startsWith(`${key}:`)) ? key : undefined,
    export: drawn.export && can('list'),
    softDelete: drawn.softDelete && can('delete'),
    bulk: drawn.bulk && ['create', 'replace', 'update', 'delete'].some(can),
  }
}

async function render(
  project: Project,
  request: GenerateRequest,
): Promise<readonly RenderedFile[] | undefined> {
  try {
    const { parts, resource } = resolveRequest(project, request)
    const [field] = resource.fields
    const migrations = field
      ? await Promise.all([
          renderFilling(project, resource, { field, time: '20260101000000' }),
          renderDroppedIndex(project, resource, { field, time: '20260101000001' }),
        ])
      : []
    return [...(await renderResource(project, resource, parts)), ...migrations]
  } catch (error) {
    // Some options exclude one another still.
    if (error instanceof CliError && error.code !== 'UNEXPECTED') return undefined
    throw error
  }
}

// What TypeScript's own compiler leaves of a file, in one layout.
function compile(text: string): Promise<string> {
  const { diagnostics = [], outputText } = ts.transpileModule(text, {
    reportDiagnostics: true,
    compilerOptions: { target: ts.ScriptTarget.ESNext, removeComments: true },
  })
  expect(diagnostics.map(({ messageText }) => messageText)).toEqual([])
  return formatCode(outputText, 'babel')
}

// The comments of TypeScript, without those of types.
function listWords(text: string): readonly string[] {
  const comments = text.match(/\/\/.*|\/\*[^]*?\*\//g) ?? []
  return comments.join('\n').match(/\w+/g) ?? []
}

async function compareForms(
  { path, text }: RenderedFile,
  form: RenderedFile | undefined,
  args: GenerateRequest,
): Promise<void> {
  const code = form?.text ?? ''
  const parsed = ts.createSourceFile('form.js', code, ts.ScriptTarget.ESNext)
  const kept = new Set(listWords(code))
  expect({
    args,
    path: form?.path,
    faults: Object(parsed).parseDiagnostics,
    code: await compile(code),
    lost: listWords(text).filter((word) => !kept.has(word)),
  }).toEqual({
    args,
    path: path.replace(/\.ts$/, '.js'),
    faults: [],
    code: await compile(text),
    lost: [],
  })
}

it('the code of random resources is that of TypeScript without its types', async () => {
  let rendered = 0
  for (const drawn of sample(requests, { numRuns: runs, seed })) {
    const args = toRequest(drawn)
    const [before, after] = [await render(typescript, args), await render(javascript, args)]
    expect({ args, files: after?.length }).toEqual({ args, files: before?.length })
    if (before === undefined || after === undefined) continue
    rendered += 1
    for (const [at, file] of before.entries()) await compareForms(file, after[at], args)
  }
  expect(rendered).toBeGreaterThan(runs * 0.8)
}, 600_000)
