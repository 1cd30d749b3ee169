import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { parseConfig } from '../src/lib/project/config.ts'
import { type Project } from '../src/lib/project/open-project.ts'
import { renderResource } from '../src/lib/resource/render-resource.ts'
import { resolveRequest } from '../src/lib/resource/resolve-request.ts'

// Written by hand beside the framework, and tested there: what a generated resource should be.
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
]

describe('renderResource', () => {
  it.each([
    ['public', plain, 'public'],
    ['owner', plain, 'owner'],
    ['rich', rich, 'public'],
  ] as const)('writes the golden resource "%s"', async (folder, fields, access) => {
    const { resource } = resolveRequest(project, { name: 'posts', fields, access })
    const parts = ['model', 'validation', 'service', 'controller', 'routes'] as const
    for (const { path, text } of await renderResource(project, resource, parts)) {
      const golden = readFileSync(`${goldenRoot}${folder}/${path.replace('src/', '')}`, 'utf8')
      expect({ path, text }).toEqual({ path, text: golden })
    }
  })
})
