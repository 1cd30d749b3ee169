import { type Endpoint, type Route } from '../../route/route.ts'

// A session that lacks a factor which its user must have can set it up, prove it or end.
const operations: ReadonlySet<string | undefined> = new Set([
  'me',
  'logoutAll',
  'listSessions',
  'revokeSession',
  'revokeApiKey',
  'revokeAllApiKeys',
  'reauthenticate',
  'reauthenticateByCode',
  'beginPasskeyReauthentication',
  'reauthenticateByPasskey',
  'listFactors',
  'enrolTotp',
  'confirmTotp',
  'beginPasskeyRegistration',
  'completePasskeyRegistration',
])

const handlers = new WeakSet<object>()

// Notes which of the built-in routes such sessions may call. Routes of the application may have the same names.
export function noteEverySession(routes: readonly Route[]): void {
  for (const { handler, operationId } of routes) {
    if (operations.has(operationId)) handlers.add(handler)
  }
}

export function isForEverySession(endpoint: Endpoint | undefined): boolean {
  return endpoint !== undefined && handlers.has(endpoint.route.handler)
}
