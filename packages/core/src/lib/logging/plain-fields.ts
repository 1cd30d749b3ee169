import { redactText } from './redact.ts'
import { type LogFields } from './logger.ts'

const maxDepth = 6
const maxCauses = 5
const secretField = /passw|secret|token|authorization|cookie|api[-_]?key|credential/i

// Plain data for a log line: secrets are redacted by name and by shape, errors reduced to what explains
// them, depth is limited.
export function toPlainFields(fields: object): LogFields {
  try {
    return toPlainObject(fields, 0)
  } catch {
    // A getter or a toJSON threw: the message is still logged.
    return {}
  }
}

function toPlain(value: unknown, depth: number): unknown {
  if (typeof value === 'string') return redactText(value)
  if (typeof value === 'bigint') return String(value)
  if (typeof value !== 'object' || value === null) return value
  if (value instanceof Error) return toPlainError(value, 0)
  if (depth >= maxDepth) return Array.isArray(value) ? '[array]' : '[object]'
  if ('toJSON' in value && typeof value.toJSON === 'function') {
    return toPlain(value.toJSON(), depth + 1)
  }
  if (Array.isArray(value)) return value.map((item) => toPlain(item, depth + 1))
  return toPlainObject(value, depth + 1)
}

function toPlainObject(value: object, depth: number): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(value).map(([name, item]) => [
      name,
      typeof item === 'string' && secretField.test(name) ? '[redacted]' : toPlain(item, depth),
    ]),
  )
}

// Only these properties: an error of the driver holds the whole topology, one of Zod the input.
function toPlainError(error: Error & { readonly code?: unknown }, depth: number): LogFields {
  const { code, cause } = error
  return {
    type: error.name,
    message: redactText(error.message),
    ...(typeof code === 'string' || typeof code === 'number' ? { code } : {}),
    stack: redactText(error.stack ?? ''),
    ...(cause === undefined || depth >= maxCauses
      ? {}
      : { cause: cause instanceof Error ? toPlainError(cause, depth + 1) : typeof cause }),
  }
}
