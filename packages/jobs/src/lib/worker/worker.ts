import { randomUUID } from 'node:crypto'
import { hostname } from 'node:os'
import { settleWithin } from '@create-api/core/internal/jobs'
import { dispatchEvents } from '../events/dispatch-events.ts'
import { type EventHandler } from '../events/on.ts'
import { type Job } from '../job/define-job.ts'
import { createCompletions } from '../queue/completions.ts'
import { createDatabaseClock } from '../queue/database-clock.ts'
import { createLeases } from '../queue/leases.ts'
import { type KeepTimes } from '../queue/settle-job.ts'
import { type Store } from '../queue/store.ts'
import { runSchedules } from '../schedules/run-schedules.ts'
import { type Schedule } from '../schedules/schedule.ts'
import { createLoop, type Loop } from './loop.ts'
import { createRunner, type Runner, type RunnerParts } from './runner.ts'
import { watchQueue } from './watch-queue.ts'
import { type WorkerLog } from './worker-log.ts'

export interface WorkerParts {
  readonly jobs: ReadonlyMap<string, Job>
  readonly handlers: readonly EventHandler[]
  readonly schedules: readonly Schedule[]
  readonly keep: KeepTimes & { readonly keepEvents: number }
  readonly leaseMs: number
  readonly pollMs: number
  readonly log: WorkerLog
}

/** Runs the jobs of a service in this process. */
export interface Worker {
  drain(): void
  stop(timeLeftMs: number): Promise<void>
}

export function startWorker(store: Store, parts: WorkerParts): Worker {
  const owner = createOwner()
  const stopping = new AbortController()
  const leases = createLeases(store, { ...parts, owner })
  const paused = new Set<string>()
  const runners = createRunners({
    ...parts,
    store,
    owner,
    leases,
    completions: createCompletions(store, parts.keep),
    clock: createDatabaseClock(),
    stopping: stopping.signal,
    isPaused: (name) => paused.has(name),
  })
  const loops = createLoops(store, parts, { runners, paused })
  const watch = watchQueue(store, {
    onJob: (name) => runners.get(name)?.wake(),
    onEvent: () => loops.events.wake(),
    onControl: () => loops.controls.wake(),
    onOpen() {
      for (const loop of Object.values(loops)) loop.wake()
    },
  })
  const all = [...runners.values(), ...Object.values(loops)]
  const drain = (): void => {
    for (const part of all) part.drain()
  }
  const idle = async (): Promise<void> => {
    await Promise.all(all.map((part) => part.idle()))
  }
  return {
    drain,
    async stop(timeLeftMs) {
      drain()
      await watch.stop()
      // The rest is for jobs that stop when they are asked to, and for returning them.
      if (!(await settleWithin(timeLeftMs * 0.8, idle()))) {
        stopping.abort(new Error('The process stops.'))
        await settleWithin(timeLeftMs * 0.15, idle())
      }
      leases.stop()
    },
  }
}

function createRunners(parts: RunnerParts & WorkerParts): ReadonlyMap<string, Runner> {
  return new Map([...parts.jobs].map(([name, job]) => [name, createRunner(job, parts)]))
}

interface LoopTargets {
  readonly runners: ReadonlyMap<string, Runner>
  readonly paused: Set<string>
}

function createLoops(
  store: Store,
  parts: WorkerParts,
  { paused, runners }: LoopTargets,
): Record<'controls' | 'events' | 'schedules', Loop> {
  async function followControls(): Promise<number> {
    await readControls(store, paused)
    for (const runner of runners.values()) runner.wake()
    return parts.pollMs
  }

  async function followEvents(): Promise<number> {
    for (const name of await dispatchEvents(store, parts)) runners.get(name)?.wake()
    return parts.pollMs
  }

  return {
    controls: createLoop(followControls, parts),
    events: createLoop(followEvents, parts),
    schedules: createLoop(() => runSchedules(store, parts), parts),
  }
}

export function createOwner(): string {
  return `${hostname()}:${process.pid}:${randomUUID()}`
}

async function readControls({ controls }: Store, paused: Set<string>): Promise<void> {
  const found = await controls.find({ paused: true }).toArray()
  paused.clear()
  for (const { _id } of found) paused.add(_id)
}
