import { setImmediate } from 'node:timers'

/** Items that are collected in one turn of the event loop, and the result of the call with all of them. */
export interface Turn<Items, Result> {
  readonly items: Items
  readonly result: Promise<Result>
}

// Passes `items` to `run` when all sockets that had something to read have been read.
export function collectTurn<Items, Result>(
  items: Items,
  run: (items: Items) => Promise<Result>,
): Turn<Items, Result> {
  const turn = new Promise<void>((resolve) => {
    setImmediate(resolve)
  })
  return { items, result: turn.then(() => run(items)) }
}
