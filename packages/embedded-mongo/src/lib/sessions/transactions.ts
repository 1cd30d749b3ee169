import { CommandError } from '../errors/command-error.ts'
import { findCollection } from '../catalog/catalog.ts'
import { catalogKey } from '../storage/keys.ts'
import { type Reader, type Store, type Value } from '../storage/store.ts'
import { View } from '../storage/view.ts'

const transient = { labels: ['TransientTransactionError'] }

// A snapshot with its own writes on top.
export interface Transaction {
  session: string
  number: bigint
  view: View
  state: 'open' | 'committed' | 'aborted'
  startedAt: number
  // Called at its end, for writes that wait for it.
  onEnd: Set<() => void>
}

// Each session has at most one transaction, its last.
export interface Transactions {
  // Aborts an open one of the session with a lower number.
  start(session: string, number: bigint): Transaction
  // The session's transaction of this number, open or committed.
  require(session: string, number: bigint): Transaction
  // Rejects a commit that would overwrite what others wrote since the snapshot.
  checkCommit(transaction: Transaction): void
  // Releases its pending keys.
  end(transaction: Transaction, state: 'committed' | 'aborted'): void
  // Removes a session, with its open transaction.
  forget(session: string): void
  open(): Transaction[]
  // Open for longer than the limit.
  overdue(now: number): Transaction[]
  // One that has written the key.
  holderOf(key: string): Transaction | undefined
  // One that has written what is to be written outside of it.
  blockerOf(view: View): Transaction | undefined
  // Resolves at its end, after the time, or once it is overdue, which aborts it.
  waitFor(transaction: Transaction, timeoutMs: number): Promise<void>
}

interface TransactionOptions {
  lifetimeMs: () => number
  onEnd: (transaction: Transaction) => void
}

export function createTransactions(
  store: Store,
  { lifetimeMs, onEnd }: TransactionOptions,
): Transactions {
  const last = new Map<string, Transaction>()
  const claims = createClaims(store)

  function end(transaction: Transaction, state: 'committed' | 'aborted'): void {
    claims.release(transaction)
    // Release the snapshot and its writes: the number is enough for a repeated commit.
    transaction.view = new View(store)
    transaction.state = state
    onEnd(transaction)
    for (const resume of transaction.onEnd) resume()
  }

  function isOverdue({ state, startedAt }: Transaction, now: number): boolean {
    return state === 'open' && now - startedAt > lifetimeMs()
  }

  function abortOverdue(transaction: Transaction): void {
    if (isOverdue(transaction, Date.now())) end(transaction, 'aborted')
  }

  return {
    start(session, number) {
      const known = last.get(session)
      if (known && known.number > number) throw tooOld(number, known.number)
      if (known?.number === number) throw alreadyStarted(number)
      if (known?.state === 'open') end(known, 'aborted')
      const transaction = begin(store, { session, number }, claims)
      last.set(session, transaction)
      return transaction
    },
    require(session, number) {
      const known = last.get(session)
      if (known) abortOverdue(known)
      if (known?.number === number && known.state !== 'aborted') return known
      if (known && known.number > number) throw tooOld(number, known.number)
      throw noSuchTransaction(number)
    },
    checkCommit: ({ view }) => checkCommit(store, view),
    end,
    forget(session) {
      const known = last.get(session)
      if (known?.state === 'open') end(known, 'aborted')
      last.delete(session)
    },
    open: () => [...last.values()].filter(({ state }) => state === 'open'),
    overdue: (now) => [...last.values()].filter((transaction) => isOverdue(transaction, now)),
    holderOf: (key) => claims.holderOf(key),
    blockerOf: (view) => claims.blockerOf(view),
    async waitFor(transaction, timeoutMs) {
      const restMs = transaction.startedAt + lifetimeMs() - Date.now() + 1
      await waitForEnd(transaction, Math.min(timeoutMs, restMs))
      abortOverdue(transaction)
    },
  }
}

// setTimeout fires at once for a longer time.
const maxTimeoutMs = 2 ** 31 - 1

function waitForEnd({ onEnd }: Transaction, timeoutMs: number): Promise<void> {
  return new Promise((resolve) => {
    const delay = Math.min(Math.max(0, timeoutMs), maxTimeoutMs)
    const timer = setTimeout(resume, delay).unref()
    onEnd.add(resume)
    function resume(): void {
      clearTimeout(timer)
      onEnd.delete(resume)
      resolve()
    }
  })
}

function begin(
  store: Store,
  id: Pick<Transaction, 'session' | 'number'>,
  claims: Claims,
): Transaction {
  const transaction: Transaction = {
    ...id,
    view: new View(store.snapshot(), (key) => claims.take(transaction, key)),
    state: 'open',
    startedAt: Date.now(),
    onEnd: new Set(),
  }
  transaction.view.origin = id
  return transaction
}

interface Claims {
  // Throws error 112 when another transaction holds or has changed the key.
  take(transaction: Transaction, key: string): void
  release(transaction: Transaction): void
  holderOf(key: string): Transaction | undefined
  blockerOf(view: View): Transaction | undefined
}

function createClaims(store: Store): Claims {
  const holders = new Map<string, Transaction>()
  return {
    take(transaction, key) {
      const holder = holders.get(key)
      if (holder && holder !== transaction) throw writeConflict()
      requireUnchanged(store, transaction.view.base, key)
      holders.set(key, transaction)
    },
    release(transaction) {
      for (const key of transaction.view.keys()) {
        if (holders.get(key) === transaction) holders.delete(key)
      }
    },
    holderOf: (key) => holders.get(key),
    blockerOf(view) {
      if (holders.size === 0) return undefined
      const key = view.keys().find((own) => holders.has(own))
      return key === undefined ? undefined : holders.get(key)
    },
  }
}

function checkCommit(store: Store, view: View): void {
  for (const key of view.keys()) requireUnchanged(store, view.base, key)
  const namespaces = new Set(view.changes.map((change) => change.namespace))
  for (const namespace of namespaces) requireSameIndexes(store, view, namespace)
}

function noSuchTransaction(number: bigint): CommandError {
  return new CommandError(
    'NoSuchTransaction',
    `Given transaction number ${number} does not match any in-progress transactions.`,
    transient,
  )
}

function requireUnchanged(store: Store, snapshot: Reader, key: string): void {
  if (!isSameValue(store.get(key), snapshot.get(key))) throw writeConflict()
}

// A value in a page is another object each time that it is read.
function isSameValue(one: Value | undefined, other: Value | undefined): boolean {
  return one === other || (Buffer.isBuffer(one) && Buffer.isBuffer(other) && one.equals(other))
}

// An index built since the snapshot does not contain the transaction's documents.
function requireSameIndexes(store: Store, view: View, namespace: string): void {
  const seen = findCollection(view.base, namespace)
  if (store.get(catalogKey(namespace)) === view.base.get(catalogKey(namespace))) return
  const now = findCollection(store, namespace)
  const ids = (collection = seen): string =>
    [collection?.id, ...(collection?.indexes.map((index) => index.id) ?? [])].join('\n')
  if (!now || ids() !== ids(now)) throw writeConflict()
}

function tooOld(number: bigint, known: bigint): CommandError {
  return new CommandError(
    'TransactionTooOld',
    `Cannot start transaction with number ${number}: ${known} was started on this session.`,
  )
}

function alreadyStarted(number: bigint): CommandError {
  return new CommandError(
    'ConflictingOperationInProgress',
    `Only servers in a sharded cluster can start a new transaction at the active transaction number: ${number}`,
  )
}

function writeConflict(): CommandError {
  return new CommandError(
    'WriteConflict',
    'Caused by :: Write conflict during plan execution and yielding is disabled. :: Please retry your operation or multi-document transaction.',
    transient,
  )
}
