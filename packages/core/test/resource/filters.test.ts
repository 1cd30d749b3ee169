import { model, Schema } from 'mongoose'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { createApi, createRegistry, createRouter, success } from '../../src/index.ts'
import { defineListQuery, findPage, listMeta, toOutputSchema } from '../../src/resource.ts'
import { createTestClient, type TestClient } from '../../src/testing.ts'

const TaskModel = model(
  'FilteredTask',
  new Schema(
    {
      title: { type: String, required: true },
      assignee: String,
      due: Date,
      done: Boolean,
      labels: [String],
    },
    { timestamps: true },
  ),
)
const task = toOutputSchema(
  z.strictObject({
    title: z.string(),
    assignee: z.string().nullish(),
    due: z.iso.datetime().optional(),
    done: z.boolean().nullish(),
    labels: z.array(z.string().nullable()).optional(),
  }),
)
const query = defineListQuery(task, {
  filters: ['id', 'title', 'assignee', 'due', 'done', 'labels'],
  defaultSort: ['title'],
})
const tasks = createRouter(
  ({ get }) => [
    get('/', { query, response: task.array(), meta: listMeta }, async (req, res) => {
      const { data, meta } = await findPage(TaskModel, req.valid.query, { scope: req.scope })
      success(res, data, meta)
    }),
  ],
  { access: 'public' },
)
const api = createApi({
  name: 'filters',
  environment: 'test',
  auth: false,
  rateLimit: false,
  routes: createRegistry().use('/tasks', tasks),
})
let client: TestClient

beforeAll(async () => {
  client = await createTestClient(api)
  const stored = [
    { title: 'a', assignee: null },
    { title: 'b,c', assignee: 'ada', due: new Date(), done: false, labels: ['x,y'] },
    { title: String.raw`d\e`, assignee: 'bob', done: null, labels: [] },
    { title: '', assignee: '', done: true },
  ]
  // As they are, without the defaults of the model.
  const createdAt = new Date()
  await TaskModel.collection.insertMany(
    stored.map((document) => ({ ...document, createdAt, updatedAt: createdAt })),
  )
})
afterAll(() => client.stop())

async function find(parameters: Record<string, string>): Promise<string[]> {
  const { body } = await client.request.get('/tasks').query(parameters).expect(200)
  return body.data.map(({ title }: { title: string }) => title)
}

describe('a filter for missing values', () => {
  it.each([
    ['assignee[exists]', 'false', ['a']],
    ['assignee[exists]', 'true', ['', 'b,c', String.raw`d\e`]],
    ['due[exists]', 'true', ['b,c']],
    ['due[exists]', 'false', ['', 'a', String.raw`d\e`]],
    ['done[exists]', 'true', ['', 'b,c']],
    ['done[exists]', 'false', ['a', String.raw`d\e`]],
    ['labels[exists]', 'true', ['b,c', String.raw`d\e`]],
  ])('%s=%s finds %j', async (name, value, titles) => {
    expect(await find({ [name]: value })).toEqual(titles)
  })

  it('exists only for fields that can lack a value', async () => {
    await client.request.get('/tasks').query({ 'title[exists]': 'true' }).expect(400)
    await client.request.get('/tasks').query({ 'due[exists]': '' }).expect(400)
  })

  it('combines with others', async () => {
    expect(await find({ 'done[exists]': 'true', 'assignee[ne]': 'ada' })).toEqual([''])
  })

  it('is described as a boolean', () => {
    const { parameters } = Object(api.openapi?.paths)['/tasks'].get
    const names = parameters.map(({ name }: { name: string }) => name)
    expect(names.filter((name: string) => name.endsWith('[exists]'))).toEqual([
      'assignee[exists]',
      'due[exists]',
      'done[exists]',
      'labels[exists]',
    ])
    const parameter = parameters.find(({ name }: { name: string }) => name === 'due[exists]')
    expect(parameter).toMatchObject({
      description: '`due` has a value.',
      schema: { type: 'boolean' },
    })
  })
})

describe('a list of values', () => {
  it.each([
    [String.raw`b\,c,a`, ['a', 'b,c']],
    [String.raw`d\\e`, [String.raw`d\e`]],
    ['a', ['a']],
  ])('[in]=%s finds %j', async (value, titles) => {
    expect(await find({ 'title[in]': value })).toEqual(titles)
  })

  it('finds a comma in a list of texts', async () => {
    expect(await find({ 'labels[in]': String.raw`x\,y` })).toEqual(['b,c'])
  })

  it.each([
    [
      'title[in]',
      String.raw`d\e`,
      String.raw`write a comma in a value as \, and a backslash as \\`,
    ],
    ['title[in]', 'a\\', 'a backslash alone'],
    ['title[in]', '', 'value 1 is empty'],
    ['title[in]', 'a,', 'value 2 is empty'],
    ['title[in]', ',a', 'value 1 is empty'],
    ['title[in]', 'a,,b', 'value 2 is empty'],
    ['title[in]', 'a, b', 'value 2 begins or ends with a space'],
    ['title[in]', 'a ,b', 'value 1 begins or ends with a space'],
    ['title[in]', ' ', 'value 1 begins or ends with a space'],
    ['id[in]', '65f0c0ffee0123456789abcd,65f0c0ffee0123456789abc', 'value 2 is not a value'],
    ['id[in]', '65f0c0ffee0123456789abcd, 65f0c0ffee0123456789abcd', 'value 2 begins or ends'],
    ['title[in]', 'a,'.repeat(100) + 'a', 'has 101 values; at most 100 are possible'],
    ['labels[in]', 'a'.repeat(2001), 'must have at most 2000 characters'],
  ])('%s=%s is a 400 that names the cause', async (name, value, detail) => {
    const { body } = await client.request.get('/tasks').query({ [name]: value })
    const pointer = `#/${encodeURIComponent(name)}`
    expect(body).toMatchObject({
      status: 400,
      errors: expect.arrayContaining([
        expect.objectContaining({ pointer, detail: expect.stringContaining(detail) }),
      ]),
    })
  })

  it('finds a space that is escaped', async () => {
    expect(await find({ 'title[in]': String.raw`\ a,a` })).toEqual(['a'])
  })

  it('cannot be a repeated parameter', async () => {
    const { body } = await client.request.get('/tasks?title[in]=a&title[in]=b').expect(400)
    expect(body.errors).toMatchObject([{ pointer: '#/title%5Bin%5D', detail: 'is repeated' }])
  })
})
