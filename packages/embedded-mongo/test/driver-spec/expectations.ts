import { type Document, MongoError, MongoServerError } from 'mongodb'
import { type Entities } from './entities.ts'
import { match } from './match.ts'
import { type ExpectedEvents } from './spec-file.ts'

/** A result or an error of the driver is not what the test expects. */
export class UnexpectedError extends Error {}

export function checkResult(expected: unknown, actual: unknown, entities: Entities): void {
  const mismatch = match(expected, actual, entities)
  if (mismatch !== undefined) throw new UnexpectedError(`The result${mismatch}`)
}

/** Throws unless the error has all that the test expects of it. */
export function checkError(expected: Document, error: unknown, entities: Entities): void {
  if (!(error instanceof Error)) throw new UnexpectedError(`No error: ${String(error)}`)
  for (const [name, value] of Object.entries(expected)) {
    const test = errorTests[name]
    if (!test) throw new Error(`This runner knows no ${name} of an error`)
    if (test(error, value as never, entities)) continue
    const found = `${error.name} ${error.message} ${JSON.stringify(error)}`
    throw new UnexpectedError(`Expected ${name} ${JSON.stringify(value)}, found ${found}`, {
      cause: error,
    })
  }
}

type ErrorTest = (error: Error & Document, expected: never, entities: Entities) => boolean

const errorTests: Readonly<Record<string, ErrorTest>> = {
  isError: () => true,
  isClientError: (error, expected: boolean) => !(error instanceof MongoServerError) === expected,
  isTimeoutError: (error, expected: boolean) =>
    (error.name === 'MongoOperationTimeoutError') === expected,
  errorContains: (error, expected: string) =>
    error.message.toLowerCase().includes(expected.toLowerCase()),
  errorCode: (error, expected: number) => codeOf(error)['code'] === expected,
  errorCodeName: (error, expected: string) => codeOf(error)['codeName'] === expected,
  errorLabelsContain: (error, expected: string[]) =>
    expected.every((label) => error instanceof MongoError && error.hasErrorLabel(label)),
  errorLabelsOmit: (error, expected: string[]) =>
    !expected.some((label) => error instanceof MongoError && error.hasErrorLabel(label)),
  errorResponse: (error, expected: Document, entities) =>
    match(expected, error['errorResponse'], entities) === undefined,
  expectResult: (error, expected: unknown, entities) =>
    match(expected, error['result'] ?? error['partialResult'], entities) === undefined,
}

// The driver names the code of a write concern's error in its result only.
function codeOf(error: Error & Document): Document {
  const inner = error['result']?.writeConcernError ?? error['errorResponse'] ?? {}
  return { code: error['code'] ?? inner.code, codeName: error['codeName'] ?? inner.codeName }
}

/** Throws unless a client did what the test expects, in this order. */
export function checkEvents(
  { client, events, eventType = 'command', ignoreExtraEvents }: ExpectedEvents,
  entities: Entities,
): void {
  const found = entities.get('client', client).events.list(eventType)
  const seen = found.map(({ name, event }) => event['commandName'] ?? name).join(', ')
  for (const [i, expected] of events.entries()) {
    const [[name, fields] = ['', {}]] = Object.entries(expected)
    const actual = found[i]
    if (actual?.name !== name) {
      throw new UnexpectedError(`Event ${i}: expected ${name}, found ${actual?.name}; all: ${seen}`)
    }
    const mismatch = match(toPattern(fields), toUsualForm(fields, actual.event), entities)
    if (mismatch !== undefined) throw new UnexpectedError(`Event ${i}: ${mismatch}; all: ${seen}`)
  }
  if (found.length > events.length && ignoreExtraEvents !== true) {
    throw new UnexpectedError(`${found.length} events instead of ${events.length}: ${seen}`)
  }
}

// What the driver sends in another form with the same meaning.
function toUsualForm(expected: Document, event: Document): Document {
  const isOfFiles = /\.(?:files|chunks)$/.test(event['command']?.find ?? '')
  return isOfFiles ? withoutEquals(event) : withoutTimeout(expected, event)
}

function withoutEquals(event: Document): Document {
  const { filter, ...command } = event['command']
  const plain = Object.entries<Document>(filter).map(([name, value]) => [
    name,
    value['$eq'] ?? value,
  ])
  return { ...event, command: { ...command, filter: Object.fromEntries(plain) } }
}

// The driver limits the time of each end of a transaction that has a write concern.
function withoutTimeout({ command: expected = {} }: Document, event: Document): Document {
  const { command } = event
  const isEnd = command?.commitTransaction === 1 || command?.abortTransaction === 1
  if (!isEnd || !command.writeConcern || expected.writeConcern?.wtimeout !== undefined) return event
  const { wtimeout: _, ...writeConcern } = command.writeConcern
  return { ...event, command: { ...command, writeConcern } }
}

// A command and a reply may have more fields than expected.
function toPattern({
  command,
  reply,
  hasServiceId,
  hasServerConnectionId,
  ...rest
}: Document): Document {
  return {
    ...rest,
    ...(command && { command: { $$matchAsRoot: command } }),
    ...(reply && { reply: { $$matchAsRoot: reply } }),
    ...(hasServiceId === undefined ? {} : { serviceId: presence(hasServiceId) }),
    ...(hasServerConnectionId === undefined
      ? {}
      : { serverConnectionId: presence(hasServerConnectionId) }),
  }
}

function presence(isThere: boolean): Document {
  return isThere ? { $$exists: true } : { $$unsetOrMatches: { $$exists: false } }
}
