import { type Doc } from '../bson/document.ts'
import { isNumeric, toNumber } from '../bson/numeric.ts'
import { CommandError, type ErrorName, errorNameOf } from '../errors/command-error.ts'
import { type Store } from '../storage/store.ts'
import { type Reply } from '../wire/reply.ts'

// Makes commands fail on purpose, to test what a client does then.
export interface FailPoint {
  // How many commands pass before the first one fails, and how many fail then.
  skip: number
  times: number
  // How many have failed.
  count: number
  isMeant(body: Doc, store: Store): boolean
  failure: Failure
}

export interface Failure {
  delayMs: number
  // Before the command, or after it was applied and without a reply.
  closes: 'before' | 'after' | 'never'
  error: CommandError | undefined
  writeConcernError: Doc | undefined
  // Instead of those that the error's code has.
  labels: string[] | undefined
  labelsOf: (body: Doc, name: ErrorName) => string[]
}

export type FailPoints = Map<string, FailPoint>

// The connection ends instead of a reply.
export class DroppedConnection extends Error {}

// The failure of the first fail point that is meant for the command.
export function takeFailure(
  { failPoints, store }: { failPoints: FailPoints; store: Store },
  body: Doc,
): Failure | undefined {
  if (body['configureFailPoint'] !== undefined) return undefined
  for (const point of failPoints.values()) {
    if (!point.isMeant(body, store)) continue
    if (point.skip > 0) point.skip -= 1
    else if (point.count < point.times) {
      point.count += 1
      return point.failure
    }
  }
  return undefined
}

export async function runWithFailure(
  failure: Failure,
  body: Doc,
  run: () => Reply | Promise<Reply>,
): Promise<Reply> {
  const { delayMs, closes, error, writeConcernError } = failure
  if (delayMs > 0) await delay(delayMs)
  if (closes === 'before') throw new DroppedConnection()
  if (error)
    throw new CommandError(error.codeName, error.message, {
      labels: toLabels(failure, body, error.codeName),
    })
  const reply = await run()
  if (closes === 'after') throw new DroppedConnection()
  return writeConcernError ? withWriteConcernError(reply, failure, body) : reply
}

function withWriteConcernError({ fields, cursor }: Reply, failure: Failure, body: Doc): Reply {
  const { errorLabels, ...given } = failure.writeConcernError ?? {}
  const name = errorNameOf(isNumeric(given['code']) ? toNumber(given['code']) : 0)
  const labels = Array.isArray(errorLabels)
    ? errorLabels
    : toLabels(failure, body, name).filter(isOfWrites)
  return {
    cursor,
    fields: {
      ...fields,
      writeConcernError: { codeName: name, ...given },
      ...(labels.length > 0 ? { errorLabels: labels } : {}),
    },
  }
}

// A write that was applied does not make its transaction repeatable.
function isOfWrites(label: string): boolean {
  return label !== 'TransientTransactionError'
}

function toLabels({ labels, labelsOf }: Failure, body: Doc, name: ErrorName): string[] {
  return labels ?? labelsOf(body, name)
}

function delay(ms: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, ms)
  })
}
