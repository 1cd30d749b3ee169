import { type Request, type Response } from 'express'
import mongoose, { type Connection } from 'mongoose'
import { loadCallerOnce } from '../routing/require-access.ts'
import { noteProgress } from '../stage/request-body.ts'
import { type IndexedModel } from '../schemas/schema-marks.ts'
import { type Reply } from './item-request.ts'
import { type Item, type ItemResult, type ItemRunner, toResult } from './run-item.ts'

// Runs all items in one transaction. Throws the error of the first item that fails; nothing is stored then. The driver runs
// them again after an error that another attempt can avoid, such as a conflict with another transaction.
export async function runAtomic(
  runner: ItemRunner,
  items: readonly Item[],
  { connection, req }: { readonly connection: Connection; readonly req: Request },
): Promise<readonly ItemResult[] | Refusal> {
  requireJoining(connection)
  await loadCaller(req)
  let results: ItemResult[] = []
  let current: Item | undefined
  try {
    await connection.transaction(async () => {
      results = []
      for (const item of items) {
        current = item
        const reply = await runner.run(item)
        if (reply.status >= 400) throw new Refusal(reply)
        results.push(toResult(reply))
        noteProgress(req)
      }
      current = undefined
    })
  } catch (thrown) {
    if (thrown instanceof Refusal) return thrown
    throw current ? runner.blame(thrown, current) : thrown
  }
  return results
}

// Before the transaction, which the database of sessions may not be part of. Items repeat an error.
async function loadCaller(req: Request): Promise<void> {
  if (!req.authenticator) return
  try {
    await loadCallerOnce(Object.create(req), req.authenticator)
  } catch {
    // Routes that are public need no caller.
  }
}

// An item whose handler has sent an error instead of throwing it.
export class Refusal {
  readonly reply: Reply

  constructor(reply: Reply) {
    this.reply = reply
  }

  // The whole response is that of the item.
  send(res: Response): void {
    const { status, text, type } = this.reply
    res.status(status).setHeader('Content-Type', type)
    res.end(text)
  }
}

export function findConnection(model: IndexedModel | undefined): Connection {
  const db: unknown = model && Reflect.get(model, 'db')
  return db instanceof mongoose.Connection ? db : mongoose.connection
}

// A query of a service would be outside the transaction.
function requireJoining(connection: Connection): void {
  const base: unknown = Reflect.get(connection, 'base')
  if (Object(base).transactionAsyncLocalStorage) return
  throw new Error(
    "The queries of an atomic bulk request would not be part of its transaction. Call mongoose.set('transactionAsyncLocalStorage', true) before the API starts.",
  )
}
