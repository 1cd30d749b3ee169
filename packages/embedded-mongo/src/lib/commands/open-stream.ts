import { Timestamp } from 'bson'
import { compilePipeline } from '../aggregate/compile-pipeline.ts'
import { decode, encode } from '../bson/codec.ts'
import { type Doc } from '../bson/document.ts'
import { typeName } from '../bson/type-name.ts'
import { findCollection } from '../catalog/catalog.ts'
import { type ChangeLog } from '../change-streams/change-log.ts'
import {
  isEnd,
  type EventShape,
  isExpandedEvent,
  isInScope,
  type StreamScope,
  toEventDocument,
} from '../change-streams/event-document.ts'
import { isIdentical } from '../keys/compare.ts'
import { CommandError } from '../errors/command-error.ts'
import { type Change, View } from '../storage/view.ts'
import { type Reply } from '../wire/reply.ts'
import { type CommandContext } from './context.ts'
import { type CursorSource } from './cursors.ts'
import { openCursor } from './cursor-commands.ts'
import { createPipelineContext } from './pipeline-context.ts'
import { queryRows } from './query-rows.ts'
import { requireKnownFields, toBoolean, toDocument } from './requirements.ts'

const streamOptions = [
  'fullDocument',
  'fullDocumentBeforeChange',
  'resumeAfter',
  'startAfter',
  'startAtOperationTime',
  'allChangesForCluster',
  'showExpandedEvents',
]

const streamStages = new Set<string | undefined>([
  '$addFields',
  '$match',
  '$project',
  '$redact',
  '$replaceRoot',
  '$replaceWith',
  '$set',
  '$unset',
])

// The first batch is empty unless the stream resumes.
export function openStream(context: CommandContext, namespace: string, stages: Doc[]): Reply {
  const { server } = context
  if (context.transaction) {
    throw new CommandError(
      'OperationNotSupportedInTransaction',
      'Operation not permitted in transaction :: caused by :: $changeStream',
    )
  }
  const [first, ...rest] = stages
  const options = toDocument(first?.['$changeStream'], '$changeStream')
  requireKnownFields(options, '$changeStream', streamOptions)
  requireOneStart(options)
  requireOneOf(options, 'fullDocument', fullDocuments)
  requireOneOf(options, 'fullDocumentBeforeChange', preImages)
  server.streams.watch()
  return openCursor(context, createStream(context, { namespace, options, rest }))
}

function requireOneStart({ resumeAfter, startAfter, startAtOperationTime }: Doc): void {
  if (resumeAfter !== undefined && startAfter !== undefined) {
    throw new CommandError(
      'Location50674',
      "Do not specify both 'resumeAfter' and 'startAfter' in a $changeStream stage",
    )
  }
  if (startAtOperationTime !== undefined && (resumeAfter ?? startAfter) !== undefined) {
    throw new CommandError(
      'Location40674',
      'Only one type of resume option is allowed, but multiple were found',
    )
  }
}

const fullDocuments = ['default', 'updateLookup', 'whenAvailable', 'required']
const preImages = ['off', 'whenAvailable', 'required']

function requireOneOf(options: Doc, name: string, known: string[]): void {
  const value = options[name]
  if (value === undefined || (typeof value === 'string' && known.includes(value))) return
  const shown = typeof value === 'string' ? value : typeName(value)
  throw new CommandError(
    'BadValue',
    `Enumeration value '${shown}' for field '$changeStream.${name}' is not a valid value.`,
  )
}

function toShape(context: CommandContext, options: Doc): EventShape {
  const { fullDocument = 'default', fullDocumentBeforeChange = 'off' } = options
  const lookUp = createLookUp(context)
  return {
    isExpanded: toBoolean(options['showExpandedEvents'], '$changeStream.showExpandedEvents'),
    fullDocument(change) {
      if (fullDocument === 'default') return undefined
      if (fullDocument === 'updateLookup') return lookUp(change)
      return toImage('post', { change, isRequired: fullDocument === 'required' })
    },
    fullDocumentBeforeChange(change) {
      if (fullDocumentBeforeChange === 'off') return undefined
      return toImage('pre', { change, isRequired: fullDocumentBeforeChange === 'required' })
    },
  }
}

function toImage(
  kind: 'pre' | 'post',
  { change, isRequired }: { change: Change; isRequired: boolean },
): Doc | null {
  const raw = kind === 'pre' ? change.before : change.after
  if (raw && change.hasImages) return decode(raw)
  if (!isRequired) return null
  throw new CommandError(
    'NoMatchingDocument',
    `Change stream was configured to require a ${kind}-image for all update events, but the ${kind}-image was not found for an event of ${change.namespace}`,
    { labels: ['NonResumableChangeStreamError'] },
  )
}

// A client resumes with the token of the event.
function withToken(doc: Doc, token: Doc): Doc {
  if (isIdentical(doc['_id'], token)) return doc
  throw new CommandError(
    'ChangeStreamFatalError',
    'Encountered an event whose _id field, which contains the resume token, was modified by the pipeline. Modifying the _id field of an event makes it impossible to resume the stream from that point. Only transformations that retain the unmodified _id field are allowed.',
    { labels: ['NonResumableChangeStreamError'] },
  )
}

function createStream(
  context: CommandContext,
  stream: { namespace: string; options: Doc; rest: Doc[] },
): CursorSource {
  const { streams } = context.server
  const { namespace, options } = stream
  const scope = toScope(context, options)
  const transform = compileTransform(context, stream.rest)
  const shape = toShape(context, options)
  let position = startOf(streams, options)
  let state: 'open' | 'ending' | 'over' = 'open'
  const next = (): Doc | undefined => {
    for (;;) {
      if (state !== 'open') {
        const wasEnding = state === 'ending'
        state = 'over'
        return wasEnding ? toInvalidate(streams, position) : undefined
      }
      const event = streams.next(position)
      if (!event) return undefined
      position = event.sequence
      if (!isInScope(scope, event) || (isExpandedEvent(event) && !shape.isExpanded)) continue
      if (isEnd(scope, event)) state = 'ending'
      const token = streams.toToken(position)
      const doc = transform(toEventDocument(event, token, shape))
      if (doc) return withToken(doc, token)
    }
  }
  return {
    namespace,
    documents: {
      next() {
        const doc = next()
        return doc ? { value: encode(doc) } : { done: true, value: undefined }
      },
    },
    wait: (timeoutMs) => streams.wait(timeoutMs),
    isOver: () => state === 'over',
    fields: () => ({ postBatchResumeToken: streams.toToken(position) }),
    close: () => streams.wake(),
  }
}

function toInvalidate(streams: ChangeLog, position: number): Doc {
  return {
    _id: streams.toToken(position, true),
    operationType: 'invalidate',
    wallTime: new Date(),
  }
}

function compileTransform(context: CommandContext, stages: Doc[]): (doc: Doc) => Doc | undefined {
  // After a $skip the planner can do nothing more: all stages run here.
  const pipeline = compilePipeline([{ $skip: 0 }, ...stages], createPipelineContext(context))
  const foreign = stages
    .map((stage) => Object.keys(stage)[0])
    .find((name) => !streamStages.has(name))
  if (foreign !== undefined) {
    throw new CommandError(
      'IllegalOperation',
      `${foreign} is not permitted in a $changeStream pipeline`,
    )
  }
  return (doc) => [...pipeline.run([doc])][0]
}

function toScope({ database, body }: CommandContext, options: Doc): StreamScope {
  const collection = body['aggregate']
  if (typeof collection === 'string') {
    return { kind: 'collection', namespace: `${database}.${collection}` }
  }
  if (options['allChangesForCluster'] === true) return { kind: 'cluster' }
  return { kind: 'database', database }
}

function startOf(streams: ChangeLog, options: Doc): number {
  const token = options['resumeAfter'] ?? options['startAfter']
  if (token !== undefined) {
    const { position, isInvalidate } = streams.parseToken(token)
    if (isInvalidate && options['resumeAfter'] !== undefined) {
      throw new CommandError(
        'InvalidResumeToken',
        "Attempting to resume a change stream using 'resumeAfter' is not allowed from an invalidate notification",
      )
    }
    // Fails immediately, not with the first batch, when the position is no longer known.
    streams.next(position)
    return position
  }
  const time = options['startAtOperationTime']
  return time instanceof Timestamp ? streams.before(time) : streams.last
}

function createLookUp(context: CommandContext): (change: Change) => Doc | null {
  return ({ namespace, before, after }) => {
    const view = new View(context.server.store)
    const collection = findCollection(view, namespace)
    const raw = after ?? before
    if (!collection || !raw) return null
    const filter = { _id: idOf(raw) }
    const [row] = queryRows({ ...context, view }, collection, { filter, limit: 1 })
    return row?.doc ?? null
  }
}

function idOf(raw: Buffer): unknown {
  return decode(raw)['_id']
}
