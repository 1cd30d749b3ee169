import { ApiError, type ErrorItem } from './api-error.ts'
import { type ErrorCode } from './catalogue.ts'
import { toPointer } from './to-pointer.ts'
import { createValidationError } from './to-error-items.ts'

const codesByName: ReadonlyMap<string, ErrorCode> = new Map(
  Object.entries<ErrorCode>({
    DocumentNotFoundError: 'not_found',
    VersionError: 'precondition_failed',
    MongooseServerSelectionError: 'service_unavailable',
    MongoServerSelectionError: 'service_unavailable',
    MongoNetworkError: 'service_unavailable',
    MongoNetworkTimeoutError: 'timeout',
    MongoOperationTimeoutError: 'timeout',
    MongoWaitQueueTimeoutError: 'service_unavailable',
    MongoPoolClearedError: 'service_unavailable',
    MongoPoolClearedOnNetworkError: 'service_unavailable',
    MongoPoolClosedError: 'service_unavailable',
    PoolClearedOnNetworkError: 'service_unavailable',
    MongoNotConnectedError: 'service_unavailable',
    MongoServerClosedError: 'service_unavailable',
    MongoTopologyClosedError: 'service_unavailable',
    MongoClientClosedError: 'service_unavailable',
    MongoExpiredSessionError: 'service_unavailable',
    MongoStalePrimaryError: 'service_unavailable',
  }),
)

// https://www.mongodb.com/docs/manual/reference/error-codes/
const duplicateKeyCodes = new Set<unknown>([11_000, 11_001])
// A field name that begins with a dollar sign or contains a dot, or a validation rule of the
// collection.
const invalidDocumentCodes = new Set<unknown>([52, 57, 121])
const brokenWrites = new Set<unknown>(['EPIPE', 'ECONNRESET'])
const timeoutCodes = new Set<unknown>([50, 64, 262])
const failoverCodes = new Set<unknown>([
  6, 7, 89, 91, 189, 9001, 10_107, 11_600, 11_602, 13_435, 13_436,
])

export interface DatabaseErrorLike extends Error {
  readonly code?: unknown
  readonly errors?: unknown
  readonly keyPattern?: unknown
  readonly hasErrorLabel?: ((label: string) => boolean) | undefined
}

interface DuplicateKeyError extends DatabaseErrorLike {
  readonly code: number
}

// The code of an error of the server, which is an Int32 in the response to a command whose values stay as they are
// (`promoteValues: false`).
export function toServerCode(error: unknown): unknown {
  const code: unknown = Object(error)['code']
  return typeof code === 'object' && code !== null ? Number(code) : code
}

// Recognised by name and shape: an app can load a second copy of Mongoose or the driver, with
// different classes.
export function fromDatabaseError(error: DatabaseErrorLike, body?: unknown): ApiError | undefined {
  if (error.name === 'ValidationError') return fromValidationError(error)
  if (error.name === 'MongooseError') return fromMongooseError(error)
  // The driver passes on Node's error when a write hits a connection that has just broken.
  if (brokenWrites.has(error.code)) return new ApiError('service_unavailable', { cause: error })
  if (!/^(?:Mongo|DocumentNotFound|Version|Pool)/.test(error.name)) return undefined
  if (isDuplicateKey(error)) return fromDuplicateKey(error, body)
  const code = codesByName.get(error.name) ?? codeOfServer(error)
  return code === undefined ? undefined : new ApiError(code, { cause: error })
}

export function isDuplicateKey(error: unknown): error is DuplicateKeyError {
  return error instanceof Error && duplicateKeyCodes.has(toServerCode(error))
}

function codeOfServer(error: DatabaseErrorLike): ErrorCode | undefined {
  const code = toServerCode(error)
  if (timeoutCodes.has(code)) return 'timeout'
  if (invalidDocumentCodes.has(code)) return 'validation_failed'
  if (failoverCodes.has(code) || isTransient(error)) return 'service_unavailable'
  return undefined
}

function isTransient(error: DatabaseErrorLike): boolean {
  return ['RetryableWriteError', 'TransientTransactionError'].some(
    (label) => error.hasErrorLabel?.(label) === true,
  )
}

// Mongoose has no class for these errors, so they are recognised by their text.
function fromMongooseError(error: Error): ApiError | undefined {
  return /buffering timed out after|before initial connection/.test(error.message)
    ? new ApiError('service_unavailable', { cause: error })
    : undefined
}

function fromDuplicateKey(error: DatabaseErrorLike, body: unknown): ApiError {
  const keys = isRecord(error.keyPattern) ? Object.keys(error.keyPattern) : keysOfIndex(error)
  const errors = keepSent(keys, body).map((key): ErrorItem => {
    const path = key === '_id' ? ['id'] : key.split('.')
    return { in: 'body', pointer: toPointer(path), code: 'duplicate', detail: 'is already in use' }
  })
  return new ApiError('duplicate', {
    cause: error,
    ...(errors.length > 0 ? { errors } : {}),
  })
}

// The server may have set the others, such as the organization: no client can change them.
function keepSent(keys: string[], body: unknown): string[] {
  const sent = keys.filter((key) => Object.hasOwn(asRecord(body), key.split('.', 1).join('')))
  return sent.length > 0 ? sent : keys
}

// A bulk write reports only the name of the index, by default made of its keys: slug_1_lang_-1.
function keysOfIndex(error: DatabaseErrorLike): string[] {
  const name = / index: (\S+) dup key: /.exec(error.message)?.[1] ?? ''
  if (name === '_id_') return ['_id']
  const keys = [...name.matchAll(/([^_].*?)_-?1(?:_|$)/g)].map(([, key = '']) => key)
  const isMadeOfKeys = name.split(/_-?1(?:_|$)/).join('') === keys.join('')
  return isMadeOfKeys ? keys : []
}

const ruleOfKind: ReadonlyMap<string, { code: string; detail: string }> = new Map(
  Object.entries<{ code: string; detail: string }>({
    required: { code: 'invalid_type', detail: 'is required' },
    minlength: { code: 'too_small', detail: 'is too short' },
    maxlength: { code: 'too_big', detail: 'is too long' },
    min: { code: 'too_small', detail: 'is too small' },
    max: { code: 'too_big', detail: 'is too big' },
    enum: { code: 'invalid_value', detail: 'is not one of the allowed values' },
    regexp: { code: 'invalid_format', detail: 'does not have the required form' },
  }),
)

// Joi and Yup have a ValidationError too; only Mongoose's maps paths to errors with a kind.
function fromValidationError(error: DatabaseErrorLike): ApiError | undefined {
  const faults = Object.entries(asRecord(error.errors))
  if (faults.length === 0) return undefined
  if (!faults.every(([, fault]) => typeof asRecord(fault)['kind'] === 'string')) return undefined
  const errors = faults.map(([path, fault]) => toItem(path, asRecord(fault)))
  return createValidationError(errors, { cause: error })
}

// Mongoose's messages quote the value, so the text is built from the rule alone.
function toItem(path: string, fault: Readonly<Record<string, unknown>>): ErrorItem {
  const pointer = toPointer(path.split('.'))
  if (fault['name'] === 'CastError') {
    return { in: 'body', pointer, code: 'invalid_type', detail: 'does not have the right type' }
  }
  const rule = ruleOfKind.get(String(fault['kind'])) ?? { code: 'custom', detail: 'is not valid' }
  return { in: 'body', pointer, ...rule }
}

function asRecord(value: unknown): Readonly<Record<string, unknown>> {
  return isRecord(value) ? value : {}
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null
}
