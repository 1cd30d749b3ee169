import { type Doc } from '../bson/document.ts'
import { isNumeric, toNumber } from '../bson/numeric.ts'
import { CommandError } from '../errors/command-error.ts'
import { type Command } from './context.ts'
import { genericOptions } from './generic-options.ts'
import { toBoolean } from './requirements.ts'
import { type Parameters } from './server-state.ts'

const constants: Doc = {
  featureCompatibilityVersion: { version: '8.0' },
  authenticationMechanisms: [],
  requireApiVersion: false,
}

export const getParameter: Command = {
  adminOnly: true,
  run({ body, server }) {
    const { ttlMonitorSleepSecs, ttlMonitorEnabled } = server.parameters
    const all: Doc = { ...constants, ttlMonitorSleepSecs, ttlMonitorEnabled }
    if (body['getParameter'] === '*') return all
    const found = Object.entries(all).filter(([name]) => body[name] !== undefined)
    if (found.length === 0) throw new CommandError('InvalidOptions', 'no option found to get')
    return Object.fromEntries(found)
  },
}

export const setParameter: Command = {
  adminOnly: true,
  run({ body, server: { parameters } }) {
    const { setParameter: _name, ttlMonitorSleepSecs: seconds, ...rest } = body
    const { ttlMonitorEnabled: isEnabled, ...others } = rest
    const unknown = Object.keys(others).find((name) => !genericOptions.has(name))
    if (unknown !== undefined) throw unrecognized(unknown)
    const before = { ...parameters }
    if (seconds !== undefined) parameters.ttlMonitorSleepSecs = toSeconds(seconds)
    if (isEnabled !== undefined) {
      parameters.ttlMonitorEnabled = toBoolean(isEnabled, 'ttlMonitorEnabled')
    }
    parameters.changed()
    if (seconds !== undefined) return { was: before.ttlMonitorSleepSecs }
    if (isEnabled !== undefined) return { was: before.ttlMonitorEnabled }
    throw new CommandError('InvalidOptions', 'no option found to set, use help:true to see options')
  },
}

function unrecognized(name: string): CommandError {
  return new CommandError(
    'InvalidOptions',
    `attempted to set unrecognized parameter [${name}], use help:true to see options`,
  )
}

function toSeconds(value: unknown): Parameters['ttlMonitorSleepSecs'] {
  const seconds = isNumeric(value) ? Math.trunc(toNumber(value)) : 0
  if (seconds >= 1) return seconds
  throw new CommandError(
    'BadValue',
    `Invalid value for parameter ttlMonitorSleepSecs: ${String(value)} is not greater than 0`,
  )
}
