import { type Doc, isDocument, lookUp } from '../bson/document.ts'
import { isNumeric, toNumber } from '../bson/numeric.ts'
import { CommandError, errorNameOf, notImplemented } from '../errors/command-error.ts'
import { findRetriedReply, toRetryableWrite } from '../sessions/retries.ts'
import { type Store } from '../storage/store.ts'
import { type Command } from './context.ts'
import { changeStreamLabelsOf, errorLabelsOf } from './error-labels.ts'
import { type FailPoint, type Failure } from './failure.ts'
import { toBoolean, toCount, toDocument } from './requirements.ts'

const never: Pick<FailPoint, 'skip' | 'times'> = { skip: 0, times: 0 }

export const configureFailPoint: Command = {
  options: ['mode', 'data'],
  adminOnly: true,
  run({ body, server: { failPoints } }) {
    const name = String(body['configureFailPoint'])
    const parse = lookUp(kinds, name)
    if (!parse) throw new CommandError('OperationFailed', `${name} not found`)
    const mode = parseMode(body['mode'])
    const count = failPoints.get(name)?.count ?? 0
    if (mode.times === 0) failPoints.delete(name)
    else {
      const point = parse(toDocument(body['data'], 'configureFailPoint.data'))
      failPoints.set(name, { ...mode, ...point, count: 0 })
    }
    return { count }
  },
}

function parseMode(mode: unknown): Pick<FailPoint, 'skip' | 'times'> {
  if (mode === 'off') return never
  if (mode === 'alwaysOn') return { skip: 0, times: Infinity }
  const { times, skip, ...others } = isDocument(mode) ? mode : {}
  const [other] = Object.keys(others)
  if (other !== undefined) throw notImplemented(`configureFailPoint mode ${other}`)
  const failing = toCount(times, 'mode.times')
  const passing = toCount(skip, 'mode.skip')
  if (failing !== undefined) return { skip: 0, times: failing }
  if (passing !== undefined) return { skip: passing, times: Infinity }
  throw new CommandError(
    'BadValue',
    "configureFailPoint: 'mode' is 'off', 'alwaysOn', { times } or { skip }",
  )
}

type Parse = (data: Doc) => Pick<FailPoint, 'isMeant' | 'failure'>

const kinds: Readonly<Record<string, Parse>> = {
  failCommand(data) {
    const { failCommands, ...rest } = data
    if (!Array.isArray(failCommands) || failCommands.length === 0) {
      throw new CommandError('BadValue', "configureFailPoint: 'data.failCommands' names no command")
    }
    const names = new Set<unknown>(failCommands)
    const failure = parseFailure('failCommand', rest)
    return { isMeant: (body) => names.has(Object.keys(body)[0]), failure }
  },
  failGetMoreAfterCursorCheckout: (data) => ({
    isMeant: (body) => body['getMore'] !== undefined,
    failure: {
      ...parseFailure('failGetMoreAfterCursorCheckout', data),
      labelsOf: (_body, name) => changeStreamLabelsOf(name),
    },
  }),
  onPrimaryTransactionalWrite(data) {
    const { failBeforeCommitExceptionCode: errorCode, closeConnection = true, ...rest } = data
    const failure = parseFailure('onPrimaryTransactionalWrite', { ...rest, errorCode })
    const when = failure.error ? 'before' : 'after'
    const closes = toBoolean(closeConnection, 'data.closeConnection') ? when : 'never'
    return { isMeant: isNewRetryableWrite, failure: { ...failure, closes } }
  },
}

function isNewRetryableWrite(body: Doc, store: Store): boolean {
  if (body['autocommit'] === false) return false
  const write = toRetryableWrite(body)
  return write !== undefined && findRetriedReply(store, write) === undefined
}

function parseFailure(name: string, data: Doc): Failure {
  const { errorCode, errorLabels, closeConnection, blockConnection, blockTimeMS, ...rest } = data
  const { writeConcernError, ...others } = rest
  const [other] = Object.keys(others)
  if (other !== undefined) throw notImplemented(`configureFailPoint data.${other}`)
  const isBlocking = toBoolean(blockConnection, 'data.blockConnection')
  const message = `Failing command via '${name}' failpoint`
  return {
    delayMs: isBlocking ? (toCount(blockTimeMS, 'data.blockTimeMS') ?? 0) : 0,
    closes: toBoolean(closeConnection, 'data.closeConnection') ? 'before' : 'never',
    error: isNumeric(errorCode)
      ? new CommandError(errorNameOf(toNumber(errorCode)), message)
      : undefined,
    writeConcernError: isDocument(writeConcernError) ? writeConcernError : undefined,
    labels: Array.isArray(errorLabels) ? errorLabels.map(String) : undefined,
    labelsOf: errorLabelsOf,
  }
}
