import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { parseConfig } from '../src/lib/project/config.ts'
import { type ResourceRecord } from '../src/lib/project/manifest.ts'
import { type Project } from '../src/lib/project/open-project.ts'
import { formatBuiltIn } from '../src/lib/resource/project-formatter.ts'
import { renderResource } from '../src/lib/resource/render-resource.ts'
import { type GenerateRequest, resolveRequest } from '../src/lib/resource/resolve-request.ts'

// A generated resource that the framework's tests use. `vitest -u` writes it.
const goldenRoot = fileURLToPath(new URL('../../core/test/golden/', import.meta.url))

const project: Project = {
  root: goldenRoot,
  config: parseConfig('{}'),
  manifest: { version: 1, cli: '0.0.0', template: 'default', resources: {} },
  dependencies: {},
}

const rich = [
  'title:string',
  'slug:string:unique',
  'status:enum:draft,live',
  'tags:array:string',
  'author:ref:User',
  'summary:text:optional',
  'publishedAt:date:optional',
  'eventOn:day:optional',
  'views:int:min=0:max=1000000:default=0',
  'rating:number:optional',
  'contact:email:optional',
  'code:uuid:optional',
  'place:object:optional',
  'place.city:string',
  'place.zip:string:optional',
  'lines:array:object',
  'lines.sku:string',
  'lines.count:int',
  'meta:object:optional',
  'extra:any:optional',
]

// Resources of organizations, in the order in which they are generated.
const tenants: readonly GenerateRequest[] = [
  { name: 'categories', fields: ['name:string:unique'] },
  {
    name: 'posts',
    fields: ['slug:string:unique', 'title', 'code:string:optional:unique', 'category:ref:Category'],
    key: 'slug',
  },
  { name: 'comments', fields: ['body:text', 'category:ref:Category:optional'], under: 'posts' },
  { name: 'drafts', fields: ['title', 'follows:ref:Draft:optional'], access: 'owner' },
  { name: 'parts', fields: ['body:text'], under: 'drafts' },
  {
    name: 'notes',
    fields: ['title', 'code:string:optional:unique', 'category:ref:Category:optional'],
    access: 'read=user,create=user,update=owner,replace=owner|role:admin,delete=role:admin',
    softDelete: true,
  },
  { name: 'remarks', fields: ['body:text'], under: 'notes' },
]

// Resources in JavaScript, with what the others do not have.
const javascriptRoot = fileURLToPath(new URL('golden-javascript/', import.meta.url))
const inJavaScript: readonly GenerateRequest[] = [
  {
    name: 'posts',
    fields: [...rich, 'price:decimal', 'site:url:optional', 'done:boolean'],
    access: 'owner',
    key: 'slug',
    export: true,
    live: true,
    bulk: true,
    collation: 'en',
  },
  { name: 'comments', fields: ['body:text'], under: 'posts', tenant: false, softDelete: true },
  { name: 'notes', fields: ['title', 'code:int:unique'], tenant: true, access: 'rule:editors' },
]

interface Rendered {
  readonly path: string
  readonly text: string
}

async function render(request: GenerateRequest, within: Project = project): Promise<Rendered[]> {
  const { parts, resource } = resolveRequest(within, request)
  const files = await renderResource(within, resource, parts)
  return Promise.all(
    files.map(async ({ path, text }) => ({ path, text: (await formatBuiltIn(path, text)) ?? '' })),
  )
}

// The project with another resource.
function withResource(request: GenerateRequest): Project {
  const { record, resource } = resolveRequest(project, request)
  const resources = { [resource.names.plural]: { ...record, cli: '0.0.0', files: {} } }
  return { ...project, manifest: { ...project.manifest, resources } }
}

describe('renderResource', () => {
  it('writes the golden resource "rich"', async () => {
    const files = await render({ name: 'posts', fields: rich })
    for (const { path, text } of files) {
      await expect(text).toMatchFileSnapshot(`${goldenRoot}rich/${path.replace('src/', '')}`)
    }
  })

  it('writes the golden resource "mixed", with an access for each action', async () => {
    const access =
      'read=public,get=owner|role:admin,create=user,update=owner,replace=rule:editors,delete=role:admin'
    const files = await render({ name: 'posts', fields: ['title', 'text:text:optional'], access })
    for (const { path, text } of files) {
      await expect(text).toMatchFileSnapshot(`${goldenRoot}mixed/${path.replace('src/', '')}`)
    }
  })
  // A header changes paths and tests only, which three resources show.
  it.each([
    ['path', tenants],
    ['header', tenants.slice(0, 3)],
  ] as const)('writes the golden resources of organizations in a %s', async (from, requests) => {
    const resources: Record<string, ResourceRecord> = {}
    const within: Project = {
      ...project,
      config: parseConfig(JSON.stringify({ tenants: from })),
      manifest: { ...project.manifest, resources },
    }
    for (const request of requests) {
      const wanted = { ...request, tenant: true }
      const { record, resource } = resolveRequest(within, wanted)
      for (const { path, text } of await render(wanted, within)) {
        const file = `${goldenRoot}tenants-in-${from}/${path.replace('src/', '')}`
        await expect(text).toMatchFileSnapshot(file)
      }
      resources[resource.names.plural] = { ...record, cli: '0.0.0', files: {} }
    }
  })

  it('writes the golden resources in JavaScript', async () => {
    const resources: Record<string, ResourceRecord> = {}
    const within: Project = {
      ...project,
      config: parseConfig(JSON.stringify({ language: 'javascript' }), () => false),
      manifest: { ...project.manifest, resources },
    }
    for (const request of inJavaScript) {
      const { record, resource } = resolveRequest(within, request)
      for (const { path, text } of await render(request, within)) {
        const file = javascriptRoot + path.replace('src/resources/', '')
        await expect(text).toMatchFileSnapshot(file)
      }
      resources[resource.names.plural] = { ...record, cli: '0.0.0', files: {} }
    }
  })

  it.each([
    ['owner', "'owner'"],
    [
      'get=owner|role:admin,list=owner,create=user,update=owner,delete=owner',
      "any('owner', 'admin')",
    ],
    ['read=public,create=user,update=owner,delete=owner', "'public'"],
    ['list=user,get=rule:editors,create=user,update=owner,delete=owner', 'editors'],
    ['role:admin', "'admin'"],
    ['user', undefined],
  ])('lets callers refer to what they can read, with --access %s: %s', async (access, expected) => {
    const within = withResource({ name: 'folders', fields: ['title'], access })
    const fields = ['title', 'folder:ref:Folder']
    const files = await render({ name: 'posts', fields, access: 'owner' }, within)
    const { text = '' } = files.find(({ path }) => path.endsWith('.routes.ts')) ?? {}
    const stated = /references: \{ folder: (.*?) \}/.exec(text)?.[1]
    expect(stated).toBe(expected)
    expect(text.includes("import { editors } from '../../access.js'")).toBe(expected === 'editors')
  })

  it.each([
    ['owner', 'owner', "'owner'"],
    ['owner', 'owner|role:admin', "any('owner', 'admin')"],
    [
      'get=owner|role:editor,list=owner,create=user,update=owner,delete=owner',
      'owner',
      "any('owner', 'editor')",
    ],
    ['role:admin', 'owner', "'admin'"],
    ['rule:editors', 'owner', 'editors'],
    ['read=public,create=user,update=owner,delete=owner', 'owner', "'public'"],
  ])('finds a parent with --access %s for --access %s: %s', async (of, access, expected) => {
    const within = withResource({ name: 'folders', fields: ['title'], access: of })
    const request = { name: 'posts', fields: ['title'], under: 'folders', access }
    const files = await render(request, within)
    const { text = '' } = files.find(({ path }) => path.endsWith('.routes.ts')) ?? {}
    expect(/references: \{ folder: (.*?) \}/.exec(text)?.[1]).toBe(expected)
    const code = files.map((file) => file.text).join('\n')
    expect(code).toContain("findFolderId(folderId, { scope: req.references['folder'] })")
  })

  it('refers to, and nests under, a resource with some of the actions', async () => {
    const request = {
      name: 'folders',
      fields: ['title'],
      access: 'list=public',
      actions: ['list'],
    } as const
    const within = withResource(request)
    const fields = ['title', 'folder:ref:Folder']
    await expect(render({ name: 'posts', fields, access: 'owner' }, within)).resolves.toHaveLength(
      6,
    )
    await expect(
      render({ name: 'posts', fields: ['title'], under: 'folders', access: 'user' }, within),
    ).resolves.toHaveLength(6)
  })

  it('looks up the parent of any owner where the access is a role', async () => {
    const within = withResource({ name: 'posts', fields: ['title'], access: 'owner' })
    const files = await render(
      { name: 'audits', fields: ['title'], under: 'posts', access: 'role:admin' },
      within,
    )
    const code = files.map(({ text }) => text).join('\n')
    expect(code).toContain("references: { post: 'public' }")
  })

  it.each([
    ['public', 'public', undefined],
    ['of a user', 'user', undefined],
    ['of an owner', 'owner', undefined],
    ['with a slug', 'public', 'slug'],
  ] as const)('writes few lines: five fields %s, below 250', async (_what, access, key) => {
    const fields = [
      'title',
      'slug:string:unique',
      'tags:array:string',
      'author:ref:User',
      'at:date',
    ]
    const files = await render({ name: 'posts', fields, access, key, skip: ['test', 'mount'] })
    const lines = files.flatMap(({ text }) => text.trimEnd().split('\n'))
    expect(files).toHaveLength(5)
    expect(lines.length).toBeLessThan(250)
    expect(lines.join('\n')).not.toMatch(
      /\bany\b|\bas (?!params\b|service\b|posts\b|postSchema\b)|@ts-/,
    )
  })
})
