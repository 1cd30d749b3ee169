import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { parseConfig } from '../src/lib/project/config.ts'
import { type Project } from '../src/lib/project/open-project.ts'
import { renderResource } from '../src/lib/resource/render-resource.ts'
import { resolveRequest } from '../src/lib/resource/resolve-request.ts'
import { parts } from '../src/lib/resource/resource.ts'

// Beside the framework, and tested there: what a generated resource is. `vitest -u` writes it anew.
const goldenRoot = fileURLToPath(new URL('../../core/test/golden/', import.meta.url))

const project: Project = {
  root: goldenRoot,
  config: parseConfig('{}'),
  manifest: { version: 1, cli: '0.0.0', template: 'default', resources: {} },
  dependencies: {},
}

const plain = ['title:string', 'body:text', 'published:boolean:default=false']
const rich = [
  'title:string',
  'slug:string:unique',
  'status:enum:draft,live',
  'tags:array:string',
  'author:ref:User',
  'summary:text:optional',
  'publishedAt:date:optional',
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

describe('renderResource', () => {
  it.each([
    ['public', plain, 'public'],
    ['owner', plain, 'owner'],
    ['rich', rich, 'public'],
  ] as const)('writes the golden resource "%s"', async (folder, fields, access) => {
    const { resource } = resolveRequest(project, { name: 'posts', fields, access })
    for (const { path, text } of await renderResource(project, resource, parts)) {
      await expect(text).toMatchFileSnapshot(`${goldenRoot}${folder}/${path.replace('src/', '')}`)
    }
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
    const { resource } = resolveRequest(project, { name: 'posts', fields, access, key })
    const code = parts.filter((part) => part !== 'test')
    const files = await renderResource(project, resource, code)
    const lines = files.flatMap(({ text }) => text.trimEnd().split('\n'))
    expect(files).toHaveLength(5)
    expect(lines.length).toBeLessThan(250)
    expect(lines.join('\n')).not.toMatch(/\bany\b|\bas (?!params\b|service\b|posts\b)|@ts-/)
  })
})
