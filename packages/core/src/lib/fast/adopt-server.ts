import http from 'node:http'
import { type Request } from 'express'
import { arrivalField } from './arrival-time.ts'
import { createConstructors, type Prototypes } from './prototypes.ts'

const decided = new WeakMap<object, boolean>()

// Whether a request has had Express' prototypes from the start.
export function isPreset(req: Request): boolean {
  return Object.hasOwn(req, arrivalField)
}

// Lets the server of a request create the next ones with the prototypes of `app`, as `createServer(app)` does,
// if the server does nothing but call that app. Returns whether it does.
export function adoptServer({ socket }: Request, app: object | undefined): boolean {
  const server: unknown = Reflect.get(socket, 'server')
  if (app === undefined || !hasPrototypes(app) || !isServer(server)) return false
  const known = decided.get(server)
  if (known !== undefined) return known
  const isAdopted = callsOnly(server, app) && setConstructors(server, app)
  decided.set(server, isAdopted)
  return isAdopted
}

function hasPrototypes(app: object): app is Prototypes {
  return 'request' in app && 'response' in app
}

// Of `node:http` or `node:https`, which have no class in common.
function isServer(value: unknown): value is http.Server {
  return typeof value === 'object' && value !== null && 'headersTimeout' in value
}

function callsOnly(server: http.Server, app: object): boolean {
  const listeners: readonly unknown[] = server.listeners('request')
  return listeners.length === 1 && listeners[0] === app
}

// Node keeps the constructors of a server under symbols, and reads them for each request.
function setConstructors(server: http.Server, app: Prototypes): boolean {
  const constructors = Object.entries(createConstructors(app))
  const symbols = constructors.map(([name]) => {
    const given: unknown = Reflect.get(http, name)
    return Object.getOwnPropertySymbols(server).find(
      (symbol) => symbol.description === name && Reflect.get(server, symbol) === given,
    )
  })
  if (symbols.includes(undefined)) return false
  for (const [index, symbol] of symbols.entries()) {
    if (symbol) Reflect.set(server, symbol, constructors[index]?.[1])
  }
  return true
}
