import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { dataSource, type Envelope, fill, metaSource, toTemplate } from './envelope.ts'

const article = z.object({
  id: z.string(),
  title: z.string(),
  author: z.object({ name: z.string() }).nullable(),
})
const meta = z.union([z.object({ total: z.int() }), z.object({ next: z.string().optional() })])
const value = { id: '1', title: 'One', author: { name: 'Ada' } }

function apply(
  envelope: Envelope<never, never>,
  schemas: { data?: z.ZodType; meta?: z.ZodType },
  values: { data: unknown; meta?: unknown },
): unknown {
  const template = toTemplate(envelope, { data: schemas.data, meta: schemas.meta })
  const sources = new Map([
    [dataSource, values.data],
    [metaSource, values.meta],
  ])
  return JSON.parse(JSON.stringify(fill(template, sources)))
}

type Data = Readonly<Record<string, unknown>>

describe('an envelope', () => {
  it.each<[string, Envelope<Data, Data>, unknown]>([
    ['the data itself', (data) => data, value],
    ['a member around it', (data) => ({ article: data }), { article: value }],
    [
      'members picked and renamed',
      ({ id, title }) => ({ key: id, title }),
      { key: '1', title: 'One' },
    ],
    ['nested members', ({ author }) => ({ by: Object(author).name }), { by: 'Ada' }],
    ['members merged', (data, { total }) => ({ ...data, total }), { ...value, total: 3 }],
    [
      'the remaining members',
      ({ id, ...attributes }) => ({ id, attributes }),
      {
        id: '1',
        attributes: { title: 'One', author: { name: 'Ada' } },
      },
    ],
    [
      'constants and lists',
      (data) => ({ ok: true, version: 1, none: null, list: [data, 'x'] }),
      {
        ok: true,
        version: 1,
        none: null,
        list: [value, 'x'],
      },
    ],
    [
      'nothing for what is not there',
      (data, { next, other }) => ({ id: data['id'], next, other }),
      {
        id: '1',
      },
    ],
  ])('places %s', (_title, envelope, expected) => {
    expect(apply(envelope, { data: article, meta }, { data: value, meta: { total: 3 } })).toEqual(
      expected,
    )
  })

  it('changes the items of lists', () => {
    const envelope: Envelope<readonly Data[], Data> = (data, { total }) => ({
      data: data.map(({ id, ...attributes }) => ({ type: 'articles', id, attributes, total })),
    })
    const body = apply(
      envelope,
      { data: article.array(), meta },
      { data: [value], meta: { total: 1 } },
    )
    const { id, ...attributes } = value
    expect(body).toEqual({ data: [{ type: 'articles', id, attributes, total: 1 }] })
  })

  it('can place members of a schema that contains itself', () => {
    interface Tree {
      name: string
      child?: Tree | undefined
    }
    const tree: z.ZodType<Tree> = z.object({
      name: z.string(),
      child: z.lazy(() => tree).optional(),
    })
    const envelope: Envelope<Tree, undefined> = ({ child }) => ({ below: child?.child })
    const data = { name: 'a', child: { name: 'b', child: { name: 'c' } } }
    expect(apply(envelope, { data: tree }, { data })).toEqual({ below: { name: 'c' } })
    expect(apply(envelope, { data: tree }, { data: { name: 'a' } })).toEqual({})
  })

  it.each<[string, Envelope<never, never>]>([
    ["it reads 'length' of data.tags", ({ tags }: { tags: string[] }) => ({ count: tags.length })],
    ['it computes with data.count', ({ count }: { count: number }) => ({ next: count + 1 })],
    ['it lists the members of data.tags', ({ tags }: { tags: object }) => ({ ...tags })],
    [
      'it looks for members of data.count',
      ({ count }: { count: never }) => ({ has: 'x' in Object(count) }),
    ],
    [
      "it reads 'toJSON' of data.count",
      ({ count }: { count: number }) => ({ text: JSON.stringify(count) }),
    ],
    ['it returns a Date', () => ({ at: new Date() })],
    ['it returns undefined', () => undefined],
    ['it returns NaN', () => ({ at: Number.NaN })],
    ['it returns a Promise', async () => ({})],
    ['Cannot convert object to primitive value', (data: never) => ({ text: String(data) })],
  ])('is refused if %s', (message, envelope) => {
    const data = z.object({ tags: z.string().array(), count: z.int() })
    expect(() => toTemplate(envelope, { data, meta: undefined })).toThrow(message)
  })
})
