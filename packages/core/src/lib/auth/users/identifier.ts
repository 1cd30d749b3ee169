import { ApiError } from '../../errors/api-error.ts'
import { type ErrorDefinition } from '../../errors/catalogue.ts'
import { type UserFields } from './user-fields.ts'

// The field that users log in with: `email`, or an own field. Returns what is wrong with it.
export function findIdentifierFault({
  identifier = 'email',
  userFields = { model: {} },
}: {
  readonly identifier?: string | undefined
  readonly userFields?: UserFields | undefined
}): string | undefined {
  if (identifier === 'email') return undefined
  const { model, input = {} } = userFields
  if (Object.hasOwn(model, identifier) && Object.hasOwn(input, identifier)) return undefined
  return `is '${identifier}', which is not an own field: add it to auth.userFields.model and auth.userFields.input, or use 'email'`
}

// A user, as far as it is identified.
interface Identified {
  readonly email: string
  readonly fields: Readonly<Record<string, unknown>>
}

// Own fields must not be mistaken for addresses where both are keys of one store.
export function toThrottleKey(identifier: string, value: string): string {
  return identifier === 'email' ? value : `${identifier}:${value}`
}

export function toThrottleKeyOf(identifier: string, user: Identified): string {
  const value = identifier === 'email' ? user.email : String(user.fields[identifier])
  return toThrottleKey(identifier, value)
}

// The 409 for a value that another user has: `email_taken`, `username_taken`.
export function toTakenCode(field: string): 'email_taken' | ErrorDefinition {
  if (field === 'email') return 'email_taken'
  const words = field.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
  return { code: `${words}_taken`, status: 409, title: `The ${field} is already registered.` }
}

export function createTakenError(field: string, cause: unknown): ApiError {
  const code = toTakenCode(field)
  const name = typeof code === 'string' ? code : code.code
  const fault = { in: 'body', pointer: `#/${field}`, detail: 'is already registered' } as const
  return new ApiError(code, { cause, errors: [{ ...fault, code: name }] })
}
