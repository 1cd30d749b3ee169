import { randomUUID } from 'node:crypto'
import { hostname } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import { type ClientSession, type mongo } from 'mongoose'
import { majority } from '../database/write-concern.ts'
import { isDuplicateKey } from '../errors/from-database-error.ts'
import { MigrationError } from './migration-error.ts'

export interface LockOwner {
  readonly host: string
  readonly pid: number
  readonly service: string
  readonly version: string
}

// One process runs migrations. Its lease ends by the clock of the server, so the clocks of the
// processes do not matter.
interface Lease {
  _id: 'lease'
  /** Increased by each owner. */
  token: number
  owner?: LockOwner & { readonly id: string }
  until: Date
  since?: Date
}

// Every write of a migration also increases `writes` here, on condition that the token is still its
// own: a transaction of a former owner conflicts with the new one, or finds another token. Not in the
// lease, whose renewals would conflict with long transactions.
interface Fence {
  _id: 'fence'
  token: number
  writes: number
}

export interface LockOptions {
  readonly client: mongo.MongoClient
  readonly db: mongo.Db
  readonly owner: Omit<LockOwner, 'host' | 'pid'>
  /** Whether the server has transactions. */
  readonly transactions: boolean
  /** Milliseconds; renewed after a third of it. */
  readonly leaseMs: number
  /** Stops waiting, or the work. */
  readonly signal: AbortSignal
  /** Called once, with the process that has the lock. */
  readonly onWait: (owner: LockOwner) => void
}

export interface HeldLock {
  /** Aborted when the lock is lost, or with the signal of the options. */
  readonly signal: AbortSignal
  /**
   * Runs a write that no former owner of the lock can make: in a transaction, or without transactions directly
   * after a check.
   * @param write - the write; repeated if the transaction conflicts
   */
  fenced<Result>(write: (session: ClientSession | undefined) => Promise<Result>): Promise<Result>
  /** Throws if another process has the lock. */
  check(): Promise<void>
}

export const lockCollection = 'migrations_lock'

// Waits for the lock, runs the work, and releases it.
export async function withLock<Result>(
  options: LockOptions,
  work: (lock: HeldLock) => Promise<Result>,
): Promise<Result> {
  const { db, leaseMs } = options
  const locks = db.collection<Lease | Fence>(lockCollection)
  await createDocuments(locks)
  const id = randomUUID()
  const token = await acquire(locks, { ...options, id })
  const lost = new AbortController()
  const signal = AbortSignal.any([options.signal, lost.signal])
  const renewal = renew(locks, { token, leaseMs, lost })
  try {
    // Only now can the former owner write no more.
    await locks.updateOne({ _id: 'fence', token: { $lt: token } }, { $set: { token } }, majority)
    return await work(createHeldLock(options, locks, { token, signal }))
  } finally {
    renewal.stop()
    await release(locks, token).catch(() => {})
  }
}

// The process that has the lock now, if there is one.
export async function findLockOwner(db: mongo.Db): Promise<LockOwner | undefined> {
  const leases = db.collection<Lease>(lockCollection)
  const held = await leases.findOne({ _id: 'lease', $expr: { $gt: ['$until', '$$NOW'] } })
  return held?.owner
}

type Locks = mongo.Collection<Lease | Fence>

async function createDocuments(locks: Locks): Promise<void> {
  const fresh: (Lease | Fence)[] = [
    { _id: 'lease', token: 0, until: new Date(0) },
    { _id: 'fence', token: 0, writes: 0 },
  ]
  for (const document of fresh) {
    if (await locks.findOne({ _id: document._id })) continue
    try {
      await locks.insertOne(document, majority)
    } catch (error) {
      if (!isDuplicateKey(error)) throw error
    }
  }
}

async function acquire(locks: Locks, options: LockOptions & { id: string }): Promise<number> {
  const { db, id, leaseMs, onWait, owner, signal } = options
  const self = { ...owner, id, host: hostname(), pid: process.pid }
  let hasReported = false
  for (;;) {
    signal.throwIfAborted()
    const taken = await locks.findOneAndUpdate(
      { _id: 'lease', $expr: { $lte: ['$until', '$$NOW'] } },
      [
        {
          $set: {
            token: { $add: ['$token', 1] },
            owner: { $literal: self },
            since: '$$NOW',
            until: { $add: ['$$NOW', leaseMs] },
          },
        },
      ],
      { returnDocument: 'after', ...majority },
    )
    if (taken) return taken.token
    if (!hasReported) {
      const present = await findLockOwner(db)
      if (present) {
        onWait(present)
        hasReported = true
      }
    }
    // Several waiting processes do not ask at the same moment.
    await sleep(Math.min(leaseMs / 10, 500) * (0.5 + Math.random()), undefined, { signal })
  }
}

interface Renewal {
  stop(): void
}

function renew(
  locks: Locks,
  { leaseMs, lost, token }: { token: number; leaseMs: number; lost: AbortController },
): Renewal {
  async function extend(): Promise<void> {
    const { matchedCount } = await locks.updateOne(
      { _id: 'lease', token },
      [{ $set: { until: { $add: ['$$NOW', leaseMs] } } }],
      majority,
    )
    if (matchedCount === 0) lost.abort(lockLost())
  }

  const timer = setInterval(() => {
    void extend().catch(() => {
      // Tried again; if it stays so, the fence rejects the next write.
    })
  }, leaseMs / 3)
  return { stop: () => clearInterval(timer) }
}

function createHeldLock(
  { client, transactions }: LockOptions,
  locks: Locks,
  { signal, token }: { token: number; signal: AbortSignal },
): HeldLock {
  async function touch(session?: ClientSession): Promise<void> {
    const options = session ? { session } : majority
    const { matchedCount } = await locks.updateOne(
      { _id: 'fence', token },
      { $inc: { writes: 1 } },
      options,
    )
    if (matchedCount === 0) throw lockLost()
  }

  return {
    signal,
    async fenced(write) {
      signal.throwIfAborted()
      if (!transactions) {
        await touch()
        return write(undefined)
      }
      return client.withSession((session) =>
        session.withTransaction(
          async () => {
            const result = await write(session)
            // At the end, so that an owner that dies keeps the next one waiting as briefly as possible.
            await touch(session)
            return result
          },
          { readConcern: { level: 'snapshot' }, ...majority },
        ),
      )
    },
    async check() {
      signal.throwIfAborted()
      await touch()
    },
  }
}

async function release(locks: Locks, token: number): Promise<void> {
  await locks.updateOne(
    { _id: 'lease', token },
    { $set: { until: new Date(0) }, $unset: { owner: '' } },
    majority,
  )
}

function lockLost(): MigrationError {
  return new MigrationError(
    'migration_lock_lost',
    'This process did not renew its lock in time and another one has taken it over, so this one has stopped before its next write. Nothing is lost: see npx api migrate status.',
  )
}
