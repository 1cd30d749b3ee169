import { type mongo } from 'mongoose'
import { collections, type Store } from '../queue/store.ts'

export interface QueueListener {
  /** A job of this name may be due. */
  onJob(name: string): void
  onEvent(): void
  onControl(): void
  /** The stream was opened: changes before that were not reported. */
  onOpen(): void
}

interface Notice {
  readonly ns: { readonly coll: string }
  readonly fullDocument?: { readonly name?: string }
}

const jobIsDue = {
  'ns.coll': collections.jobs,
  $or: [
    { operationType: 'insert' },
    { operationType: 'update', 'updateDescription.updatedFields.state': 'waiting' },
  ],
}

const pipeline = [
  {
    $match: {
      $or: [
        jobIsDue,
        { 'ns.coll': collections.events, operationType: 'insert' },
        { 'ns.coll': collections.controls },
      ],
    },
  },
  { $project: { ns: 1, 'fullDocument.name': 1 } },
]

// Reports changes of the queue as they are committed. Polling finds what it misses, and replaces it on a server without change
// streams.
export function watchQueue({ db }: Store, listener: QueueListener): { stop(): Promise<void> } {
  let stream: mongo.ChangeStream<mongo.Document, mongo.ChangeStreamDocument & Notice> | undefined
  let retry: NodeJS.Timeout | undefined
  let isStopped = false
  let pause = 500

  function open(): void {
    if (isStopped) return
    // Updates have no document without it: of a job, the name is needed.
    stream = db.watch(pipeline, { fullDocument: 'updateLookup' })
    stream.on('change', report)
    stream.once('error', reopen)
    stream.once('close', reopen)
    listener.onOpen()
  }

  function report({ fullDocument, ns }: Notice): void {
    pause = 500
    if (ns.coll === collections.events) listener.onEvent()
    else if (ns.coll === collections.controls) listener.onControl()
    else if (fullDocument?.name !== undefined) listener.onJob(fullDocument.name)
  }

  function reopen(): void {
    if (isStopped || retry) return
    const failed = stream
    stream = undefined
    failed?.removeAllListeners()
    // The driver emits errors of a stream that is being closed.
    failed?.on('error', () => {})
    void failed?.close().catch(() => {})
    pause = Math.min(pause * 2, 30_000)
    retry = setTimeout(() => {
      retry = undefined
      open()
    }, pause)
  }

  open()
  return {
    async stop() {
      isStopped = true
      clearTimeout(retry)
      stream?.removeAllListeners()
      stream?.on('error', () => {})
      await stream?.close().catch(() => {})
    },
  }
}
