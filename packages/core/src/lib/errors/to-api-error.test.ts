import jwt from 'jsonwebtoken'
import mongoose from 'mongoose'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { ApiError } from './api-error.ts'
import { toApiError } from './to-api-error.ts'

const { MongoServerError, MongoNetworkError, MongoNetworkTimeoutError } = mongoose.mongo

function caught(work: () => unknown): unknown {
  try {
    work()
  } catch (error) {
    return error
  }
  throw new Error('nothing was thrown')
}

async function rejected(work: Promise<unknown>): Promise<unknown> {
  try {
    await work
  } catch (error) {
    return error
  }
  throw new Error('nothing was thrown')
}

function serverError(fields: Record<string, unknown>): Error {
  return new MongoServerError({ ok: 0, ...fields })
}

// As if a second copy of a package had made it: same name and shape, another class.
function foreign(name: string, fields: Record<string, unknown> = {}): Error {
  return Object.assign(new Error('secret text'), { name, ...fields })
}

const userSchema = new mongoose.Schema({
  name: { type: String, required: true, minlength: 3 },
  age: Number,
  tags: [{ label: { type: String, enum: ['a', 'b'] } }],
})
const User = mongoose.model('ToApiErrorUser', userSchema)

describe('toApiError', () => {
  const cases: [name: string, thrown: () => unknown, code: ApiError['code']][] = [
    ['a ZodError', () => z.string().safeParse(1).error, 'validation_failed'],
    ['a Mongoose ValidationError', () => rejected(new User({}).validate()), 'validation_failed'],
    ['a CastError', () => new mongoose.Error.CastError('ObjectId', 'x', '_id'), 'internal_error'],
    ['a StrictModeError', () => new mongoose.Error.StrictModeError('nope'), 'internal_error'],
    [
      'a VersionError',
      () => new mongoose.Error.VersionError(new User(), 1, []),
      'precondition_failed',
    ],
    [
      'a DocumentNotFoundError',
      () => Reflect.construct(mongoose.Error.DocumentNotFoundError, [{ _id: 1 }, 'User', 0]),
      'not_found',
    ],
    ['a duplicate key', () => serverError({ code: 11_000, keyPattern: { slug: 1 } }), 'duplicate'],
    ['maxTimeMS expired', () => serverError({ code: 50 }), 'timeout'],
    ['a write concern timeout', () => serverError({ code: 64 }), 'timeout'],
    ['a collection validator', () => serverError({ code: 121 }), 'validation_failed'],
    ['a name that begins with $', () => serverError({ code: 52 }), 'validation_failed'],
    ['a name that holds a dot', () => serverError({ code: 57 }), 'validation_failed'],
    ['a primary that stepped down', () => serverError({ code: 189 }), 'service_unavailable'],
    [
      'a transient error by label',
      () => serverError({ code: 112, errorLabels: ['TransientTransactionError'] }),
      'service_unavailable',
    ],
    ['another server error', () => serverError({ code: 2 }), 'internal_error'],
    [
      'a write on a broken connection',
      () => Object.assign(new Error('write EPIPE'), { code: 'EPIPE' }),
      'service_unavailable',
    ],
    ['a network error', () => new MongoNetworkError('10.0.0.1'), 'service_unavailable'],
    ['a network timeout', () => new MongoNetworkTimeoutError('10.0.0.1'), 'timeout'],
    [
      'server selection',
      () => new mongoose.Error.MongooseServerSelectionError('x'),
      'service_unavailable',
    ],
    [
      'the driver’s server selection',
      () => foreign('MongoServerSelectionError'),
      'service_unavailable',
    ],
    ['a full pool', () => foreign('MongoWaitQueueTimeoutError'), 'service_unavailable'],
    ['a cleared pool', () => foreign('MongoPoolClearedError'), 'service_unavailable'],
    [
      'a pool cleared by the network',
      () => foreign('PoolClearedOnNetworkError'),
      'service_unavailable',
    ],
    ['a closed pool', () => foreign('MongoPoolClosedError'), 'service_unavailable'],
    ['an operation timeout', () => foreign('MongoOperationTimeoutError'), 'timeout'],
    [
      'a client that is not connected',
      () => foreign('MongoNotConnectedError'),
      'service_unavailable',
    ],
    [
      'buffering that timed out',
      () => new mongoose.Error('Operation `users.find()` buffering timed out after 10000ms'),
      'service_unavailable',
    ],
    [
      'a query before the connection',
      () =>
        new mongoose.Error(
          'Cannot call `users.find()` before initial connection is complete if `bufferCommands = false`.',
        ),
      'service_unavailable',
    ],
    [
      'a rejection by sanitizeFilter',
      () => new mongoose.Error('$where is not allowed with sanitizeFilter'),
      'internal_error',
    ],
    ['another MongooseError', () => new mongoose.Error('x'), 'internal_error'],
    [
      'an expired JWT',
      () => caught(() => jwt.verify(jwt.sign({ exp: 1 }, 'k'), 'k')),
      'token_expired',
    ],
    ['a broken JWT', () => caught(() => jwt.verify('x', 'k')), 'invalid_token'],
    [
      'a JWT of the future',
      () => caught(() => jwt.verify(jwt.sign({ nbf: 9e9 }, 'k'), 'k')),
      'invalid_token',
    ],
    ['a URIError', () => caught(() => decodeURIComponent('%E0%A4%A')), 'invalid_encoding'],
    ['an AbortError', () => new DOMException('x', 'AbortError'), 'service_unavailable'],
    [
      'an AbortError by timeout',
      () => Object.assign(foreign('AbortError'), { cause: new DOMException('x', 'TimeoutError') }),
      'timeout',
    ],
    ['a TimeoutError', () => new DOMException('x', 'TimeoutError'), 'timeout'],
    ['a foreign 404', () => foreign('NotFoundError', { status: 404 }), 'not_found'],
    ['a foreign 418', () => foreign('TeapotError', { statusCode: 418 }), 'im_a_teapot'],
    ['a foreign 502', () => foreign('BadGatewayError', { status: 502 }), 'bad_gateway'],
    ['a foreign 503', () => foreign('Unavailable', { status: 503 }), 'service_unavailable'],
    [
      'malformed JSON of body-parser',
      () => foreign('SyntaxError', { status: 400, type: 'entity.parse.failed' }),
      'malformed_json',
    ],
    ['an ordinary Error', () => new Error('x'), 'internal_error'],
    [
      'a ValidationError of another library',
      () => foreign('ValidationError', { errors: ['x'] }),
      'internal_error',
    ],
    ['an Error named ZodError without issues', () => foreign('ZodError'), 'internal_error'],
    ['null', () => null, 'internal_error'],
    ['undefined', () => undefined, 'internal_error'],
    ['a string', () => 'x', 'internal_error'],
    ['{ status: 200 }', () => ({ status: 200 }), 'internal_error'],
    ["{ status: 'x' }", () => ({ status: 'x' }), 'internal_error'],
    ['{ status: 404 }', () => ({ status: 404 }), 'internal_error'],
    ['an Error with status 200', () => foreign('Odd', { status: 200 }), 'internal_error'],
    ['an Error with status NaN', () => foreign('Odd', { status: Number.NaN }), 'internal_error'],
    [
      'a proxy that throws',
      () =>
        new Proxy(new Error('x'), {
          get: () => {
            throw new Error('trap')
          },
        }),
      'internal_error',
    ],
  ]

  it.each(cases)('ERR-03 ERR-04 turns %s into the right code', async (_name, thrown, code) => {
    const value = thrown()
    const error = toApiError(value instanceof Promise ? await value : value)
    expect(error).toBeInstanceOf(ApiError)
    expect(error.code).toBe(code)
  })

  it('ERR-03 recognises errors of a second copy of Zod and Mongoose by name and shape', () => {
    const issues = [{ code: 'too_small', path: ['a'], message: 'must not be empty' }]
    expect(toApiError(foreign('ZodError', { issues })).code).toBe('validation_failed')
    expect(toApiError(foreign('MongoServerError', { code: 11_000 })).code).toBe('duplicate')
  })

  it('returns an ApiError unchanged and keeps any other thrown value as cause', () => {
    const own = new ApiError('forbidden')
    expect(toApiError(own)).toBe(own)
    const thrown = new Error('x')
    expect(toApiError(thrown).cause).toBe(thrown)
    expect(toApiError('text').cause).toBe('text')
  })

  it('ERR-05 names path and rule of a Mongoose ValidationError, never the value', async () => {
    const user = new User({ name: 'xy', age: 'hunter2', tags: [{ label: 'hunter3' }] })
    const error = toApiError(await rejected(user.validate()))
    expect(error.detail).toBe('3 fields are not valid.')
    expect(error.errors).toHaveLength(3)
    expect(error.errors).toEqual(
      expect.arrayContaining([
        { in: 'body', pointer: '#/name', code: 'too_small', detail: 'is too short' },
        {
          in: 'body',
          pointer: '#/age',
          code: 'invalid_type',
          detail: 'does not have the right type',
        },
        {
          in: 'body',
          pointer: '#/tags/0/label',
          code: 'invalid_value',
          detail: 'is not one of the allowed values',
        },
      ]),
    )
    expect(JSON.stringify(error.errors)).not.toContain('hunter')
  })

  it('ERR-05 names the keys of a duplicate, never the value', () => {
    const error = toApiError(
      serverError({
        code: 11_000,
        errmsg: 'E11000 duplicate key error dup key: { slug: "hunter2" }',
        keyPattern: { slug: 1, 'meta.lang': 1 },
        keyValue: { slug: 'hunter2' },
      }),
    )
    expect(error.status).toBe(409)
    expect(error.detail).toBeUndefined()
    expect(error.errors).toEqual([
      { in: 'body', pointer: '#/slug', code: 'duplicate', detail: 'is already in use' },
      { in: 'body', pointer: '#/meta/lang', code: 'duplicate', detail: 'is already in use' },
    ])
  })

  it('names only the keys of a duplicate that the body has, if it has any', () => {
    const thrown = serverError({ code: 11_000, keyPattern: { organization: 1, 'meta.lang': 1 } })
    const pointersFor = (body: unknown): (string | undefined)[] | undefined =>
      toApiError(thrown, body).errors?.map(({ pointer }) => pointer)
    expect(pointersFor({ meta: { lang: 'en' } })).toEqual(['#/meta/lang'])
    expect(pointersFor({ organization: '1', meta: {} })).toEqual(['#/organization', '#/meta/lang'])
    expect(pointersFor({})).toEqual(['#/organization', '#/meta/lang'])
    expect(pointersFor(undefined)).toEqual(['#/organization', '#/meta/lang'])
  })

  it.each([
    ['slug_1', ['#/slug']],
    ['slug_1_meta.lang_-1', ['#/slug', '#/meta/lang']],
    ['owner_id_1_slug_1', ['#/owner_id', '#/slug']],
    ['_id_', ['#/id']],
    ['my index', undefined],
    ['unique-slug', undefined],
    ['body_text', undefined],
  ])('names the keys of a duplicate in a bulk write by the index %s', (index, pointers) => {
    const error = toApiError(
      Object.assign(foreign('MongoBulkWriteError', { code: 11_000 }), {
        message: `E11000 duplicate key error collection: a.b index: ${index} dup key: { slug: "x_1" }`,
      }),
    )
    expect(error.code).toBe('duplicate')
    expect(error.errors?.map(({ pointer }) => pointer)).toEqual(pointers)
  })

  it.each([
    [402, 'payment_required', 'Payment required.'],
    [410, 'gone', 'Gone.'],
    [416, 'range_not_satisfiable', 'Range not satisfiable.'],
    [423, 'locked', 'Locked.'],
    [451, 'unavailable_for_legal_reasons', 'Unavailable for legal reasons.'],
    [499, 'status_499', 'Status 499.'],
    [501, 'not_implemented', 'Not implemented.'],
    [507, 'insufficient_storage', 'Insufficient storage.'],
  ])('keeps the status %i, which has no code in the catalogue', (status, code, title) => {
    expect(toApiError(foreign('Foreign', { status }))).toMatchObject({ status, code, title })
    expect(toApiError(foreign('Foreign', { status: 'x', statusCode: status })).status).toBe(status)
  })

  it('shows the text of an http-error only with expose, and passes on its header fields', () => {
    const headers = { 'X-A': 'b', 'X-B': 1, 'X-C': ['d', 'e'], 'X-F': 'g\n', 'X G': 'h' }
    const shown = toApiError(foreign('NotFoundError', { status: 404, expose: true, headers }))
    expect(shown.detail).toBe('secret text')
    expect(shown.headers).toEqual({ 'X-A': 'b', 'X-B': '1', 'X-C': ['d', 'e'] })
    expect(toApiError(foreign('NotFoundError', { status: 404 })).detail).toBeUndefined()
    expect(
      toApiError(foreign('SyntaxError', { status: 400, type: 'entity.parse.failed', expose: true }))
        .detail,
    ).toBeUndefined()
  })
})
