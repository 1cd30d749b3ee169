import { ApiError, createApi, createRegistry, createRouter, success } from '@create-api/core'
import request from 'supertest'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'

const note = z.object({ title: z.string() })

const routes = createRegistry().use(
  '/api/notes',
  createRouter(({ get, post }) => [
    get('/:id', { access: 'public', response: note, errors: ['forbidden'] }, (req) => {
      if (req.params['id'] === 'down') throw new ApiError('service_unavailable')
      if (req.params['id'] === 'caller') throw new ApiError('invalid_credentials')
      throw new ApiError('forbidden', { detail: 'Not yours.' })
    }),
    post(
      '/',
      { access: 'public', body: note, response: note, errors: ['duplicate'] },
      (req, res) => {
        if (req.valid.body.title === 'taken') throw new ApiError('duplicate')
        success(res, req.valid.body)
      },
    ),
  ]),
)

const api = createApi({
  routes,
  auth: false,
  database: false,
  environment: 'test',
  rateLimit: false,
  errors: {
    statuses: {
      duplicate: 422,
      forbidden: 404,
      invalid_credentials: 422,
      service_unavailable: 404,
    },
  },
})

describe('errors.statuses', () => {
  it('replaces the status of a code, and nothing else', async () => {
    const duplicate = await request(api.app).post('/api/notes').send({ title: 'taken' }).expect(422)
    expect(duplicate.body).toMatchObject({ status: 422, code: 'duplicate' })
    const hidden = await request(api.app).get('/api/notes/1').expect(404)
    expect(hidden.body).toMatchObject({ status: 404, code: 'forbidden', detail: 'Not yours.' })
    const invalid = await request(api.app).post('/api/notes').send({}).expect(422)
    expect(invalid.body.code).toBe('validation_failed')
  })

  it('decides about the headers', async () => {
    const { headers } = await request(api.app).get('/api/notes/caller').expect(422)
    expect(headers).not.toHaveProperty('www-authenticate')
  })

  it('keeps the status of server errors', async () => {
    const { body } = await request(api.app).get('/api/notes/down').expect(503)
    expect(body.code).toBe('service_unavailable')
  })

  it('is what the document says', () => {
    const operations = Object(api.openapi?.paths['/api/notes'])
    expect(Object.keys(operations.post.responses)).not.toContain('409')
    expect(operations.post.responses['422'].$ref).toMatch(/DuplicateOrValidationFailed$/)
    const { schemas } = Object(api.openapi?.components)
    expect(schemas.DuplicateProblem.allOf[1].properties.status).toEqual({
      type: 'integer',
      enum: [422],
    })
    const one = Object(api.openapi?.paths['/api/notes/{id}'])
    expect(Object.keys(one.get.responses)).not.toContain('403')
  })

  it.each([500, 200, 4.5, '422', null])('refuses %j', (status) => {
    const config = {
      routes,
      auth: false,
      database: false,
      errors: { statuses: { conflict: status } },
    }
    expect(() => Reflect.apply(createApi, undefined, [config])).toThrow(
      /errors\.statuses +statuses\.conflict must be a whole number from 400 to 499/,
    )
  })
})
