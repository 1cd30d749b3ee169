import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import path from 'node:path'
import openapiTypescript, { astToString } from 'openapi-typescript'
import { expect, it, onTestFinished } from 'vitest'
import { Document } from '../../../packages/cli/src/lib/client/document.ts'
import { SchemaTypes } from '../../../packages/cli/src/lib/client/schema-types.ts'
import { TypeNames } from '../../../packages/cli/src/lib/client/type-names.ts'
import { readBlogDocument } from '../../../packages/cli/test/client/blog-document.ts'
import { findTypeErrors } from '../openapi/type-errors.ts'

interface Described extends Readonly<Record<string, unknown>> {
  readonly components: { readonly schemas: Readonly<Record<string, unknown>> }
}

const require = createRequire(import.meta.url)

function readExample(name: string): Described {
  return JSON.parse(readFileSync(require.resolve(`@readme/oas-examples/${name}.json`), 'utf8'))
}

// By JSON Schema: a property with a default may be left out, and an object of which no property is known may have any.
const options = { defaultNonNullable: false, emptyObjectsUnknown: true }

const text = { type: 'string' }
const animal = {
  type: 'object',
  required: ['kind'],
  properties: { kind: { enum: ['cat', 'dog'] } },
}
const kinds: Described = {
  openapi: '3.1.0',
  info: { title: 'Kinds of schemas', version: '1' },
  paths: {},
  components: {
    schemas: {
      Text: text,
      Whole: { type: 'integer', minimum: 0 },
      Number: { type: 'number' },
      Flag: { type: 'boolean' },
      Nothing: { type: 'null' },
      Nullable: { type: ['string', 'null'] },
      Constant: { const: 'a', type: 'string' },
      Enumerated: { enum: ['a', 'b', 3, true, null] },
      List: { type: 'array', items: text },
      Lists: {
        type: 'array',
        items: { type: 'array', items: { anyOf: [text, { type: 'null' }] } },
      },
      Map: { type: 'object', additionalProperties: { type: 'integer' } },
      Closed: { type: 'object', properties: { a: text }, additionalProperties: false },
      Optional: { type: 'object', required: ['a'], properties: { a: text, 'b-c': text } },
      Nested: {
        type: 'object',
        required: ['inner'],
        properties: {
          inner: { type: 'object', properties: { list: { type: 'array', items: text } } },
        },
      },
      Animal: animal,
      Cat: {
        allOf: [
          { $ref: '#/components/schemas/Animal' },
          { type: 'object', required: ['lives'], properties: { lives: { type: 'integer' } } },
        ],
      },
      Either: {
        oneOf: [{ $ref: '#/components/schemas/Cat' }, { $ref: '#/components/schemas/List' }],
      },
      Tree: {
        type: 'object',
        required: ['children'],
        properties: { children: { type: 'array', items: { $ref: '#/components/schemas/Tree' } } },
      },
      Alias: { $ref: '#/components/schemas/Tree' },
      Directory: {
        type: 'object',
        required: ['entries'],
        properties: {
          entries: {
            type: 'object',
            additionalProperties: { $ref: '#/components/schemas/Entry' },
          },
        },
      },
      Entry: {
        oneOf: [
          { $ref: '#/components/schemas/Directory' },
          {
            type: 'object',
            required: ['parent'],
            properties: {
              parent: { anyOf: [{ $ref: '#/components/schemas/Entry' }, { type: 'null' }] },
            },
          },
        ],
      },
    },
  },
}

it.each<[string, () => Described | Promise<Described>]>([
  ['all kinds of schemas', () => kinds],
  ['the blog', async () => (await readBlogDocument()) as Described],
  ['the Swagger Petstore (3.0)', () => readExample('3.0/json/petstore')],
  ['the data sets of the USPTO (3.0)', () => readExample('3.0/json/uspto')],
  ['the Star Trek API (3.0)', () => readExample('3.0/json/star-trek')],
  ['the train travel API (3.1)', () => readExample('3.1/json/train-travel')],
])('the types of %s are those of openapi-typescript', async (_title, read) => {
  const folder = mkdtempSync(path.join(tmpdir(), 'create-api-schemas-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const document = await read()
  const types = new SchemaTypes(new Document(document), new TypeNames())
  const names = Object.keys(document.components?.schemas ?? {})
  const pairs = names.map((name, index) => {
    const ours = types.toType({ $ref: `#/components/schemas/${name}` })
    const quoted = JSON.stringify(name)
    return `export const _${index}: Same<ours.${ours}, components['schemas'][${quoted}], ${quoted}> = true`
  })
  writeFileSync(path.join(folder, 'ours.ts'), types.declarations.join('\n'))
  const theirs = astToString(await openapiTypescript(JSON.stringify(document), options))
  writeFileSync(path.join(folder, 'theirs.ts'), theirs)
  const file = path.join(folder, 'compare.ts')
  writeFileSync(
    file,
    `import type * as ours from './ours.ts'
import type { components } from './theirs.ts'

type Same<A, B, Name extends string> = [A] extends [B]
  ? [B] extends [A] ? true : \`theirs is wider: \${Name}\`
  : \`ours is wider: \${Name}\`

${pairs.join('\n')}
`,
  )
  expect(names.length).toBeGreaterThan(0)
  expect(findTypeErrors(file, { exactOptionalPropertyTypes: true })).toEqual([])
})

// openapi-typescript writes types for these that do not compile.
it('the types of schemas that contain themselves compile', () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'create-api-schemas-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const json = { $ref: '#/components/schemas/Json' }
  const schemas = {
    // As Zod describes `z.json()`.
    Json: {
      anyOf: [
        { type: ['string', 'number', 'boolean', 'null'] },
        { type: 'array', items: json },
        { type: 'object', additionalProperties: json },
      ],
    },
    Self: { anyOf: [{ $ref: '#/components/schemas/Self' }, text] },
    One: { oneOf: [{ $ref: '#/components/schemas/Other' }, text] },
    Other: {
      allOf: [{ $ref: '#/components/schemas/One' }, { type: 'object', properties: { a: text } }],
    },
  }
  const document = new Document({ openapi: '3.1.0', components: { schemas } })
  const types = new SchemaTypes(document, new TypeNames())
  const names = Object.keys(schemas).map((name) =>
    types.toType({ $ref: `#/components/schemas/${name}` }),
  )
  expect(names).toEqual(['Json', 'Self', 'One', 'Other'])
  const file = path.join(folder, 'ours.ts')
  writeFileSync(
    file,
    `${types.declarations.join('\n')}\nexport const value: Json = { a: [{ b: [1, null] }] }\n`,
  )
  expect(findTypeErrors(file, { exactOptionalPropertyTypes: true })).toEqual([])
})
