import { type Response } from 'express'
import request from 'supertest'
import { expect, it } from 'vitest'
import { z } from 'zod'
import {
  createApi,
  createRegistry,
  createRouter,
  get,
  patch,
  post,
  success,
} from '../../src/index.ts'
import { defineListQuery, defineView, toOutputSchema, toPatchSchema } from '../../src/resource.ts'

// Names that every object inherits, and those that JavaScript reads itself.
const names = [
  ...Object.getOwnPropertyNames(Object.prototype),
  'then',
  'length',
  'name',
  'prototype',
]
// Assigning it would set the prototype, and no route has a parameter with such underscores.
const fields = names.filter((name) => name !== '__proto__')

it.each(fields)('%s may be the name of a field, a filter and a parameter', async (name) => {
  const body = z.strictObject({ [name]: z.string(), title: z.string() })
  const output = toOutputSchema(body)
  const view = defineView(output, { fields: [name] })
  const query = defineListQuery(output, { filters: [name], sort: [name], view })
  const thing = { id: '65f0c0ffee0123456789abcd', [name]: 'a', title: 'b', ...times() }
  const access = 'public'
  const routes = createRegistry().use(
    '/api/things',
    createRouter([
      get('/', { access, query, response: view.response.array() }, (_req, res: Response) =>
        success(res, [thing]),
      ),
      get(
        `/:${name}`,
        { access, params: z.strictObject({ [name]: z.string() }), response: output },
        (req, res: Response) => success(res, { ...thing, [name]: req.valid.params[name] }),
      ),
      post('/', { access, body, response: body, status: 201 }, (req, res: Response) =>
        success(res, req.valid.body),
      ),
      patch('/one', { access, body: toPatchSchema(body), response: body }, (req, res: Response) =>
        success(res, { title: 'b', ...req.valid.body }),
      ),
    ]),
  )
  const silent = { accessLog: { format: false }, log: { level: 'silent' } } as const
  const api = createApi({ routes, auth: false, database: false, ...silent })
  const agent = request(api.app)
  const sent = { [name]: 'a', title: 'b' }

  const { body: list } = await agent
    .get(`/api/things?${name}=a&sort=${name}&fields=${name}`)
    .expect(200)
  expect(Object.entries(list.data[0])).toContainEqual([name, 'a'])
  const { body: one } = await agent.get('/api/things/x').expect(200)
  expect(Object.entries(one.data)).toContainEqual([name, 'x'])
  await agent.post('/api/things').send(sent).expect(201, { data: sent })
  await agent.post('/api/things').send({ title: 'b' }).expect(422)
  await agent
    .patch('/api/things/one')
    .send({ [name]: 'a' })
    .expect(200, { data: sent })
  expect(JSON.stringify(api.openapi)).toContain(`"${name}":{"type":"string"`)
})

function times(): object {
  const now = new Date()
  return { createdAt: now, updatedAt: now }
}

it.each(names)('%s is an unknown name in queries and bodies that do not have it', async (name) => {
  const routes = createRegistry().use(
    '/api/things',
    createRouter([
      post(
        '/',
        { access: 'public', body: z.strictObject({ a: z.int() }), query: z.strictObject({}) },
        (_req, res: Response) => success(res),
      ),
    ]),
  )
  const silent = { accessLog: { format: false }, log: { level: 'silent' } } as const
  const agent = request(createApi({ routes, auth: false, database: false, ...silent }).app)
  const json = { 'Content-Type': 'application/json' }
  await agent.post('/api/things').set(json).send(`{"a":1,"${name}":2}`).expect(422)
  await agent.post(`/api/things?${name}=1`).send({ a: 1 }).expect(400)
  await agent.post('/api/things').send({ a: 1 }).expect(204)
})
