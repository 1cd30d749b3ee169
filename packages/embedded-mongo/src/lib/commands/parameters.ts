import { type Doc } from '../bson/document.ts'
import { isNumeric, toNumber } from '../bson/numeric.ts'
import { CommandError } from '../errors/command-error.ts'
import { type Command } from './context.ts'
import { genericOptions } from './generic-options.ts'
import { toBoolean } from './requirements.ts'

const constants: Doc = {
  featureCompatibilityVersion: { version: '8.0' },
  authenticationMechanisms: [],
  requireApiVersion: false,
}

const settable = [
  'ttlMonitorSleepSecs',
  'ttlMonitorEnabled',
  'transactionLifetimeLimitSeconds',
] as const

type Settable = (typeof settable)[number]

export const getParameter: Command = {
  adminOnly: true,
  run({ body, server: { parameters } }) {
    const own = settable.map((name) => [name, parameters[name]])
    const all: Doc = { ...constants, ...Object.fromEntries(own) }
    if (body['getParameter'] === '*') return all
    const found = Object.entries(all).filter(([name]) => body[name] !== undefined)
    if (found.length === 0) throw new CommandError('InvalidOptions', 'no option found to get')
    return Object.fromEntries(found)
  },
}

export const setParameter: Command = {
  adminOnly: true,
  run({ body, server: { parameters } }) {
    const { setParameter: _name, ...rest } = body
    const given = Object.keys(rest).filter((name) => !genericOptions.has(name))
    const unknown = given.find((name) => !isSettable(name))
    if (unknown !== undefined) throw unrecognized(unknown)
    const names = settable.filter((name) => given.includes(name))
    const [first] = names
    if (first === undefined) {
      throw new CommandError(
        'InvalidOptions',
        'no option found to set, use help:true to see options',
      )
    }
    const was = parameters[first]
    for (const name of names) {
      if (name === 'ttlMonitorEnabled') parameters[name] = toBoolean(body[name], name)
      else parameters[name] = toSeconds(name, body[name])
    }
    parameters.changed()
    return { was }
  },
}

function isSettable(name: string): name is Settable {
  return settable.some((known) => known === name)
}

function unrecognized(name: string): CommandError {
  return new CommandError(
    'InvalidOptions',
    `attempted to set unrecognized parameter [${name}], use help:true to see options`,
  )
}

function toSeconds(name: Settable, value: unknown): number {
  const seconds = isNumeric(value) ? Math.trunc(toNumber(value)) : 0
  if (seconds >= 1) return seconds
  throw new CommandError(
    'BadValue',
    `Invalid value for parameter ${name}: ${String(value)} is not greater than 0`,
  )
}
