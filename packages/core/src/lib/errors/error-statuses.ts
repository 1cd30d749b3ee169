import { ApiError } from './api-error.ts'
import { type ErrorCode } from './catalogue.ts'

/** Statuses that replace those of error codes, of the framework or of `defineErrors`. */
export type ErrorStatuses = Readonly<Partial<Record<ErrorCode, number>> & Record<string, number>>

// Throws TypeError for a status that is not one of a client error.
export function requireStatuses(statuses: ErrorStatuses): void {
  for (const [code, status] of Object.entries(statuses)) {
    if (Number.isInteger(status) && status >= 400 && status < 500) continue
    throw new TypeError(
      `statuses.${code} must be a whole number from 400 to 499, such as { email_taken: 422 }`,
    )
  }
}

// The status of a code. That of a server error stays: monitoring, retries and the log depend on it.
export function toStatus(statuses: ErrorStatuses, code: string, status: number): number {
  return status < 500 && Object.hasOwn(statuses, code) ? (statuses[code] ?? status) : status
}

export function withStatus(error: ApiError, statuses: ErrorStatuses): ApiError {
  const { code, detail, errors, headers, title } = error
  const status = toStatus(statuses, code, error.status)
  if (status === error.status) return error
  return new ApiError({ code, status, title }, { cause: error.cause, detail, errors, headers })
}
