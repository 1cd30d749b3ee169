import { setTimeout as sleep } from 'node:timers/promises'
import { createApi, createRegistry, createRouter, get, success } from '@create-api/core'
import { live } from '@create-api/core/live'
import { defineListQuery, findPage, listMeta, toOutputSchema } from '@create-api/core/resource'
import { createTestClient, type TestClient } from '@create-api/core/testing'
import { model, Schema } from 'mongoose'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { z } from 'zod'
import {
  type ApiClient,
  type Call,
  type CallOptions,
  createApiClient,
  type Operations,
} from '../src/index.ts'
import { type ListChange, livePage, readChanges } from '../src/live.ts'

const task = toOutputSchema(z.strictObject({ title: z.string(), rank: z.number() })).omit({
  createdAt: true,
  updatedAt: true,
})
const TaskModel = model(
  'LiveTask',
  new Schema({
    title: { type: String, required: true },
    rank: { type: Number, required: true },
  }),
)
const tasks = createRouter(
  [
    get(
      '/',
      {
        query: defineListQuery(task, { filters: ['title', 'rank'], sort: ['rank'] }),
        response: task.array(),
        meta: listMeta,
        live: live((query, options) => findPage(TaskModel, query, options), { heartbeat: 50 }),
      },
      async (req, res) => {
        lists += 1
        const { data, meta } = await findPage(TaskModel, req.valid.query, { scope: req.scope })
        success(res, data, meta)
      },
    ),
  ],
  { access: 'optional', model: TaskModel },
)

const operations = {
  tasks: {
    list: { method: 'GET', path: '/api/tasks', query: true, cursor: true },
    changes: { method: 'GET', path: '/api/tasks/changes', query: true, events: readChanges },
  },
} as const satisfies Operations

interface Task {
  readonly id: string
  readonly title: string
  readonly rank: number
}

interface TasksClient extends ApiClient {
  readonly tasks: {
    list(query?: object, options?: CallOptions): Call<{ data: readonly Task[]; meta: object }>
    changes(
      query?: { readonly title?: string },
      options?: CallOptions,
    ): AsyncGenerator<ListChange<Task>>
  }
}

let lists = 0
let service: TestClient
let client: TasksClient
const api = createApi({
  routes: createRegistry().use('/api/tasks', tasks),
  auth: { limits: false },
})
// The connections that the client opens.
const connections: TransformStreamDefaultController[] = []

beforeAll(async () => {
  service = await createTestClient(api)
  client = createApiClient<TasksClient>(operations, {
    url: service.url,
    fetch: async (...request) => {
      const response = await fetch(...request)
      if (!response.url.includes('changes')) return response
      const body = response.body?.pipeThrough(
        new TransformStream<Uint8Array, Uint8Array>({ start: (one) => void connections.push(one) }),
      )
      return new Response(body, response)
    },
  })
})
afterAll(() => service.stop())
beforeEach(async () => {
  await TaskModel.deleteMany({})
  lists = 0
})

it('iterates over changes, and continues after a lost connection', async () => {
  const changes = client.tasks.changes({ title: 'a' })
  expect(await changes.next()).toEqual({ done: false, value: { type: 'reset' } })
  const first = await TaskModel.create({ title: 'a', rank: 1 })
  expect((await changes.next()).value).toEqual({
    type: 'changed',
    data: { id: first.id, title: 'a', rank: 1 },
  })
  connections.at(-1)?.error(new Error('The connection was lost.'))
  await TaskModel.updateOne({ _id: first._id }, { title: 'b' })
  expect((await changes.next()).value).toEqual({ type: 'removed', id: first.id })
  await changes.return(undefined)
})

it('keeps a page current', async () => {
  const create = (title: string, rank: number) => TaskModel.create({ title, rank })
  const [first, second] = [await create('a', 1), await create('b', 2)]
  const controller = new AbortController()
  const pages = livePage(
    client.tasks,
    { sort: '-rank', limit: 2 },
    { interval: 20, signal: controller.signal },
  )
  const titles = async (): Promise<string[]> =>
    (await pages.next()).value?.data.map(({ title }: Task) => title)
  expect(await titles()).toEqual(['b', 'a'])
  expect(lists).toBe(1)
  // In its place, without another request.
  await TaskModel.updateOne({ _id: first._id }, { title: 'c' })
  expect(await titles()).toEqual(['b', 'c'])
  expect(lists).toBe(1)
  await TaskModel.updateOne({ _id: first._id }, { rank: 3 })
  expect(await titles()).toEqual(['c', 'b'])
  await TaskModel.deleteOne({ _id: second._id })
  expect(await titles()).toEqual(['c'])
  await create('d', 4)
  expect(await titles()).toEqual(['d', 'c'])
  controller.abort()
  expect((await pages.next()).done).toBe(true)
})

it('ends the stream when its reader leaves', async () => {
  for await (const { data } of livePage(client.tasks)) {
    expect(data).toEqual([])
    break
  }
  await sleep(50)
  const { tasks: resource } = client
  const controller = new AbortController()
  const changes = resource.changes({}, { signal: controller.signal })
  expect((await changes.next()).value).toEqual({ type: 'reset' })
  controller.abort()
  expect((await changes.next()).done).toBe(true)
})

it('rejects with what the service refuses', async () => {
  const pages = livePage(client.tasks, { unknown: 1 })
  await expect(pages.next()).rejects.toMatchObject({ code: 'invalid_query' })
})
