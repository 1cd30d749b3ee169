import {
  type Arbitrary,
  array,
  boolean,
  constant,
  constantFrom,
  date,
  dictionary,
  double,
  integer,
  maxSafeInteger,
  oneof,
  option,
  record,
  sample,
  stringMatching,
  subarray,
  tuple,
  uuid,
} from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createImportProject } from './import-project.ts'

type Values = Readonly<Record<string, unknown>>

// What separates, quotes, breaks lines or begins a formula, among other characters.
const characters = Array.from('=+-@\t\'",;|\n\r []{}\\aé漢😀0')
const text = array(constantFrom(...characters), { minLength: 1, maxLength: 20 })
  .map((parts) => parts.join(''))
  .filter((one) => one.trim() !== '')
const trimmed = text.map((one) => one.trim())
const moment = date({
  min: new Date('0001-01-01'),
  max: new Date('9999-12-30'),
  noInvalidDate: true,
}).map((one) => one.toISOString())
const key = stringMatching(/^[a-z]{1,5}$/)
const scalar = oneof(integer(), boolean(), text)
const members = dictionary(key, oneof(scalar, array(scalar, { maxLength: 3 })), {
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
const fields: Readonly<Record<string, Arbitrary<unknown>>> = {
  'name:string?': trimmed,
  'body:text?': text,
  'size:int?': maxSafeInteger(),
  'ratio:number?': double({ noNaN: true, min: -1e15, max: 1e15 }),
  'price:decimal?': stringMatching(/^-?[1-9][0-9]{0,17}\.[0-9]{1,8}$/),
  'live:boolean?': boolean(),
  'at:date?': moment,
  'due:day?': moment.map((one) => one.slice(0, 10)),
  'mail:email?': stringMatching(/^[a-z]{1,8}@[a-z]{1,8}\.org$/),
  'link:url?': stringMatching(/^https:\/\/[a-z]{1,8}\.org\/[a-z,;]{0,8}$/),
  'uid:uuid?': uuid(),
  'oid:objectid?': stringMatching(/^[0-9a-f]{24}$/),
  'extra:object?': members,
  'free:any?': oneof(integer(), boolean(), members, array(scalar, { maxLength: 3 }), notJson),
  'state:enum:draft,live?': constantFrom('draft', 'live'),
  'tags:string[]?': array(trimmed, { maxLength: 4 }),
  'sizes:int[]?': array(integer(), { maxLength: 4 }),
  'address.city:string?': trimmed,
  'address.zip:string?': constantFrom('0800', '8010'),
}

// A random choice of fields, and documents that have some of them.
const resources = subarray(Object.keys(fields), { minLength: 5 }).chain((names) => {
  const entries = names.map(
    (name) => [name.replace(/:.*/, ''), option(fields[name] ?? text, { nil: undefined })] as const,
  )
  const drawn = tuple(...entries.map(([, value]) => value)).map((values) =>
    nest(entries.map(([name], index) => [name, values[index]])),
  )
  return record({
    names: constant(names),
    documents: array(drawn, { minLength: 40, maxLength: 40 }),
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

const rounds = 3

describe('an export', () => {
  it('can be imported: the documents are the same', async () => {
    for (const { documents, names } of sample(resources, rounds)) {
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
