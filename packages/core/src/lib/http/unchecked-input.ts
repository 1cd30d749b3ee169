import { isDeepStrictEqual } from 'node:util'
import { type Request } from 'express'
import { ApiError } from '../errors/api-error.ts'

// Translates an error of Mongoose about a value that it cannot cast, or about a name that a strict
// schema does not know, if the client has sent it and no schema has checked it: 404 for a path
// parameter, else 400. Any other error of this kind is a bug of the server's own query.
export function fromUncheckedInput(thrown: unknown, req: Request): ApiError | undefined {
  try {
    const isFault = toTest(thrown)
    if (!isFault) return undefined
    const { segments, others } = toUnchecked(req)
    if (contains(segments, isFault)) return new ApiError('not_found', { cause: thrown })
    return contains(others, isFault) ? new ApiError('bad_request', { cause: thrown }) : undefined
  } catch {
    // A getter of the error or of the request threw.
    return undefined
  }
}

interface MongooseFault extends Error {
  readonly value?: unknown
  readonly path?: unknown
}

type Test = (name: string, value: unknown) => boolean

// Recognised by name and shape: an app can load a second copy of Mongoose.
function toTest(thrown: unknown): Test | undefined {
  if (!(thrown instanceof Error)) return undefined
  const { value: faulty, path }: MongooseFault = thrown
  if (thrown.name === 'CastError') return (_name, value) => isDeepStrictEqual(value, faulty)
  if (thrown.name === 'StrictModeError') return (name) => name === String(path).split('.')[0]
  return undefined
}

// A route of the framework has parsed its query and body by their schemas.
function toUnchecked(req: Request): { segments: readonly string[]; others: readonly unknown[] } {
  const { endpoint } = req
  if (endpoint?.route.params) return { segments: [], others: [] }
  // An error handler of an Express app does not see the parameters of the route.
  const [path = ''] = req.originalUrl.split('?')
  const segments = path.split('/').map(decodeURIComponent)
  return { segments, others: endpoint ? [] : [req.query, req.body] }
}

function contains(root: unknown, isFault: Test): boolean {
  const pending = [root]
  for (const container of pending) {
    if (typeof container !== 'object' || container === null) continue
    for (const [name, value] of Object.entries(container)) {
      if (isFault(name, value)) return true
      pending.push(value)
    }
  }
  return false
}
