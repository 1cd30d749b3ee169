import { insertJob } from '../queue/insert-job.ts'
import { type Store } from '../queue/store.ts'
import { type Schedule } from './schedule.ts'

// Of a run that is later than this, no worker was there.
const missedAfterMs = 60_000

const never = new Date(8.64e15)

interface Parts {
  readonly schedules: readonly Schedule[]
}

// Stores when each schedule is due for the first time. Called when a process starts: a changed pattern begins anew.
export async function prepareSchedules(store: Store, { schedules }: Parts): Promise<void> {
  if (schedules.length === 0) return
  const now = await readTime(store)
  for (const { name, next, pattern } of schedules) {
    const fresh = { pattern, next: next(now) ?? never }
    await store.schedules.updateOne(
      { _id: name },
      [
        {
          $set: {
            next: {
              $cond: [{ $eq: ['$pattern', { $literal: pattern }] }, '$next', fresh.next],
            },
            pattern: { $literal: pattern },
          },
        },
      ],
      { upsert: true },
    )
  }
}

// Adds the jobs of the schedules that are due. Returns the time until the next one in milliseconds.
export async function runSchedules(store: Store, { schedules }: Parts): Promise<number> {
  let pause = Infinity
  for (const each of schedules) pause = Math.min(pause, await runSchedule(store, each))
  return pause
}

async function runSchedule(store: Store, schedule: Schedule): Promise<number> {
  const { input, job, missed, name, next, pattern } = schedule
  const stored = await store.schedules.findOne<{ pattern: string; next: Date; now: Date }>(
    { _id: name },
    { projection: { pattern: 1, next: 1, now: '$$NOW' } },
  )
  // A process of a newer version has changed the schedule.
  if (!stored || stored.pattern !== pattern) return Infinity
  const { now } = stored
  const lateMs = now.getTime() - stored.next.getTime()
  if (lateMs < 0) return -lateMs
  if (missed === 'once' || lateMs < missedAfterMs) {
    // The id makes it one job, also where several processes add it.
    const id = `${name}@${stored.next.toISOString()}`
    const scheduledFor = stored.next
    await insertJob(store, { id, name: job.name, input, scheduledFor })
  }
  const following = next(now) ?? never
  await store.schedules.updateOne({ _id: name, next: stored.next }, { $set: { next: following } })
  return Math.max(0, following.getTime() - now.getTime())
}

async function readTime({ db }: Store): Promise<Date> {
  const { localTime } = await db.admin().command({ hello: 1 })
  if (localTime instanceof Date) return localTime
  throw new Error('The database does not report its time.')
}
