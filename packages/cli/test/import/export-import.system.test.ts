import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createImportProject } from './import-project.ts'

type Values = Readonly<Record<string, unknown>>

// What separates, quotes, breaks lines or begins a formula, among other characters.
const characters = [...'=+-@\t\'",;|\n\r []{}\\aé漢😀0']
const text = fc
  .array(fc.constantFrom(...characters), { minLength: 1, maxLength: 20 })
  .map((parts) => parts.join(''))
  .filter((one) => one.trim() !== '')
const trimmed = text.map((one) => one.trim())
const moment = fc
  .date({ min: new Date('0001-01-01'), max: new Date('9999-12-30'), noInvalidDate: true })
  .map((date) => date.toISOString())
const key = fc.stringMatching(/^[a-z]{1,5}$/)
const scalar = fc.oneof(fc.integer(), fc.boolean(), text)
const object = fc.dictionary(key, fc.oneof(scalar, fc.array(scalar, { maxLength: 3 })), {
  noNullPrototype: true,
})
// Text that is JSON would be read as the value that it describes.
const notJson = trimmed.filter((one) => {
  try {
    JSON.parse(one)
    return false
  } catch {
    return true
  }
})

// A field for each type, and its values.
const fields: Readonly<Record<string, fc.Arbitrary<unknown>>> = {
  'name:string?': trimmed,
  'body:text?': text,
  'size:int?': fc.maxSafeInteger(),
  'ratio:number?': fc.double({ noNaN: true, min: -1e15, max: 1e15 }),
  'price:decimal?': fc.stringMatching(/^-?[1-9][0-9]{0,17}\.[0-9]{1,8}$/),
  'live:boolean?': fc.boolean(),
  'at:date?': moment,
  'due:day?': moment.map((one) => one.slice(0, 10)),
  'mail:email?': fc.stringMatching(/^[a-z]{1,8}@[a-z]{1,8}\.org$/),
  'link:url?': fc.stringMatching(/^https:\/\/[a-z]{1,8}\.org\/[a-z,;]{0,8}$/),
  'uid:uuid?': fc.uuid(),
  'oid:objectid?': fc.stringMatching(/^[0-9a-f]{24}$/),
  'extra:object?': object,
  'free:any?': fc.oneof(
    fc.integer(),
    fc.boolean(),
    object,
    fc.array(scalar, { maxLength: 3 }),
    notJson,
  ),
  'state:enum:draft,live?': fc.constantFrom('draft', 'live'),
  'tags:string[]?': fc.array(trimmed, { maxLength: 4 }),
  'sizes:int[]?': fc.array(fc.integer(), { maxLength: 4 }),
  'address.city:string?': trimmed,
  'address.zip:string?': fc.constantFrom('0800', '8010'),
}

// A random choice of fields, and documents that have some of them.
const resources = fc.subarray(Object.keys(fields), { minLength: 5 }).chain((names) => {
  const entries = names.map(
    (name) =>
      [name.replace(/:.*/, ''), fc.option(fields[name] ?? text, { nil: undefined })] as const,
  )
  const document = fc
    .tuple(...entries.map(([, value]) => value))
    .map((values) => nest(entries.map(([name], index) => [name, values[index]])))
  return fc.record({
    names: fc.constant(names),
    documents: fc.array(document, { minLength: 40, maxLength: 40 }),
  })
})

function nest(entries: readonly (readonly [string, unknown])[]): Values {
  const address = entries.filter(([name]) => name.startsWith('address.'))
  return Object.fromEntries([
    ...entries.filter(([name]) => !name.startsWith('address.')),
    ...(address.length > 0
      ? [['address', Object.fromEntries(address.map(([name, value]) => [name.slice(8), value]))]]
      : []),
  ])
}

const ofService = new Set(['id', 'createdAt', 'updatedAt'])

function withoutOwn(documents: readonly Values[]): readonly Values[] {
  return documents.map((document) =>
    Object.fromEntries(Object.entries(document).filter(([name]) => !ofService.has(name))),
  )
}

const rounds = Number(process.env['EXPORT_IMPORT_ROUNDS'] ?? 3)

describe('an export', () => {
  it('can be imported: the documents are the same', { timeout: 300_000 }, async () => {
    for (const { documents, names } of fc.sample(resources, rounds)) {
      const project = await createImportProject(['things', 'title:string', ...names])
      const given = documents.map((document, index) => ({ title: `Thing ${index}`, ...document }))
      project.write('things.ndjson', given.map((one) => JSON.stringify(one)).join('\n'))
      const first = await project.api(['import', 'things', 'things.ndjson', '--json'])
      expect(JSON.parse(first.stdout)).toMatchObject({ created: 40, causes: [] })
      const stored = withoutOwn(await project.list('/api/things'))
      const accept = ['--header', 'Accept: text/csv']
      const exported = await project.api(['request', 'GET', '/api/things', ...accept, '--json'])
      project.write('export.csv', JSON.parse(exported.stdout).body)
      const env = { MONGODB_URI: 'embedded:.copy' }
      const second = await project.api(['import', 'things', 'export.csv', '--json'], '', env)
      expect(JSON.parse(second.stdout)).toMatchObject({ created: 40, causes: [] })
      expect(withoutOwn(await project.list('/api/things', env))).toEqual(stored)
    }
  })
})
