import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { Types } from 'mongoose'
import { describe, expect, it } from 'vitest'
import { composeObjectWriter, createObjectWriter, generateObjectWriter } from './object-writer.ts'
import { toScalar } from './plain.ts'

const upper = (value: unknown): unknown =>
  value === undefined ? undefined : `<${JSON.stringify(value)}>`
const fields = [
  { key: 'id', write: toScalar },
  { key: 'title', write: toScalar },
  { key: 'it\'s "odd"\u2028', write: upper },
  { key: '__proto__', write: toScalar },
  { key: 'constructor', write: toScalar },
]

const values: [name: string, value: unknown][] = [
  ['every field', { id: 'a', title: 't', 'it\'s "odd"\u2028': 1, constructor: 'c' }],
  ['fields that are not in the schema', { id: 'a', secret: 's', passwordHash: 'h' }],
  ['_id in place of id', { _id: new Types.ObjectId('65f0c0ffee0123456789abcd') }],
  ['an id and an _id', { id: 'own', _id: 'other' }],
  ['dates, big integers, null', { id: 1n, title: new Date(0), 'it\'s "odd"\u2028': null }],
  ['an object where a single value is expected', { title: { secret: 's' } }],
  ['an own __proto__', JSON.parse('{"__proto__":"text"}')],
  ['no prototype', Object.assign(Object.create(null), { title: 't' })],
  ['nothing', {}],
  ['null', null],
  ['undefined', undefined],
  ['a text', 'text'],
  ['an array', [1, 2]],
  ['a date', new Date(0)],
]

describe('object writers', () => {
  const composed = composeObjectWriter(fields)
  const generated = generateObjectWriter(fields)

  it.each(values)('write the same JSON, generated and composed: %s', (_name, value) => {
    const text = JSON.stringify(composed(value))
    expect(JSON.stringify(generated(value))).toBe(text)
    expect(JSON.stringify(createObjectWriter(fields)(value))).toBe(text)
  })

  it('write a field named __proto__ as a field', () => {
    const written = generated(JSON.parse('{"__proto__":"text"}'))
    expect(Object.getPrototypeOf(written)).toBe(Object.prototype)
    expect(JSON.stringify(written)).toBe('{"__proto__":"text"}')
  })

  it('work in a process that may not make code of text', () => {
    const module = fileURLToPath(new URL('object-writer.ts', import.meta.url))
    const script = `
      const { createObjectWriter } = await import(${JSON.stringify(module)})
      const write = createObjectWriter([{ key: 'id', write: String }])
      process.stdout.write(JSON.stringify(write({ _id: 7, other: 1 })))`
    const flags = ['--disallow-code-generation-from-strings', '--import', 'tsx']
    const { stdout, stderr } = spawnSync(
      process.execPath,
      [...flags, '--input-type=module', '-e', script],
      { encoding: 'utf8' },
    )
    expect({ stdout, stderr }).toMatchObject({ stdout: '{"id":"7"}' })
  })
})
