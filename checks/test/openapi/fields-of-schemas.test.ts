import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { Document, isJson, toJson } from '../../../packages/cli/src/lib/client/document.ts'
import { parseFields } from '../../../packages/cli/src/lib/fields/parse-fields.ts'
import { readFields } from '../../../packages/cli/src/lib/infer/fields-of-schema.ts'

const examples = path.join(import.meta.dirname, '../../node_modules/@readme/oas-examples')

const files = ['3.0', '3.1'].flatMap((version) =>
  readdirSync(path.join(examples, version, 'json'))
    .filter((file) => file.endsWith('.json'))
    .map((file) => path.join(version, 'json', file)),
)

function readSchemas(file: string) {
  const root: unknown = JSON.parse(readFileSync(path.join(examples, file), 'utf8'))
  const document = new Document(toJson(root))
  const schemas = toJson(toJson(document.root['components'])['schemas'])
  return Object.entries(schemas).flatMap(([name, schema]) => {
    const pointer = `#/components/schemas/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`
    return isJson(schema) ? [{ document, schema: { $ref: pointer }, name: pointer }] : []
  })
}

describe('api generate resource --from-openapi, with the documents of others', () => {
  it('finds documents', () => {
    expect(files.length).toBeGreaterThan(30)
    expect(files.flatMap(readSchemas).length).toBeGreaterThan(200)
  })

  it.each(files)('%s: the fields of each schema are accepted', (file) => {
    const fields = readSchemas(file).map((source) =>
      readFields(source, () => undefined).fields.map(({ argument }) => argument),
    )
    const accepted = fields.filter((args) => args.length === 0 || parseFields(args).length > 0)
    expect(accepted).toEqual(fields)
  })
})
