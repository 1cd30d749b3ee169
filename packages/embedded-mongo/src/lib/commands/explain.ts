import { hostname } from 'node:os'
import { type Doc, isDocument } from '../bson/document.ts'
import { compilePipeline } from '../aggregate/compile-pipeline.ts'
import { type PipelineContext } from '../aggregate/stage.ts'
import { findCollection } from '../catalog/catalog.ts'
import { CommandError } from '../errors/command-error.ts'
import { explainQuery } from '../plan/explain.ts'
import { startQuery } from '../plan/run-query.ts'
import { type Command, type CommandContext, toNamespace } from './context.ts'
import { toFindRequest } from './find.ts'
import { createPipelineContext } from './pipeline-context.ts'
import { type QueryRequest, toQuery } from './query-rows.ts'
import { toDocument, toDocuments } from './requirements.ts'
import { VERSION } from './version.ts'

const VERBOSITIES = ['queryPlanner', 'executionStats', 'allPlansExecution']

/** Tells how a command would be answered: which index, how many keys and documents. */
export const explain: Command = {
  options: ['verbosity'],
  run(context) {
    const { verbosity = 'allPlansExecution' } = context.body
    if (typeof verbosity !== 'string' || !VERBOSITIES.includes(verbosity)) {
      throw new CommandError(2, `verbosity string must be one of ${VERBOSITIES.join(', ')}`)
    }
    return explainCommand(context, toDocument(context.body['explain'], 'explain'), verbosity)
  },
}

/**
 * Explains a command.
 *
 * @param context The command that asks.
 * @param command The command to explain.
 * @param verbosity How much to tell.
 * @returns The reply.
 * @throws {CommandError} 59 for a command that cannot be explained.
 */
export function explainCommand(context: CommandContext, command: Doc, verbosity: string): Doc {
  const [name = ''] = Object.keys(command)
  const toRequest = requests[name]
  if (!toRequest) throw new CommandError(59, `Explain failed due to unknown command: ${name}`)
  const namespace = toNamespace(context.database, command[name])
  const collection = findCollection(context.view, namespace)
  const inner = { ...context, body: command }
  const request = toRequest(command, createPipelineContext(inner, collection))
  const query = toQuery(inner, collection, request)
  const running = collection && startQuery(context.view, collection, query)
  const explained = explainQuery(namespace, query, running)
  return {
    explainVersion: '1',
    queryPlanner: explained.queryPlanner,
    ...(verbosity === 'queryPlanner' ? {} : { executionStats: explained.executionStats }),
    command,
    serverInfo: { host: hostname(), port: 0, version: VERSION, gitVersion: 'embedded' },
  }
}

const requests: Readonly<Record<string, (command: Doc, context: PipelineContext) => QueryRequest>> =
  {
    find: (command) => toFindRequest(command),
    count: ({ query, collation, hint, skip, limit }) =>
      toFindRequest({ filter: query, collation, hint, skip, limit }),
    distinct: ({ query, collation, hint }) => toFindRequest({ filter: query, collation, hint }),
    findAndModify: ({ query, sort, collation, hint }) =>
      toFindRequest({ filter: query, sort, collation, hint, limit: 1 }),
    update: ({ updates }) => firstPart(updates, ({ multi }) => (multi === true ? 0 : 1)),
    delete: ({ deletes }) => firstPart(deletes, ({ limit }) => Number(limit)),
    aggregate({ pipeline, collation, hint }, context) {
      const stages = toDocuments(pipeline, 'aggregate.pipeline')
      const { leading } = compilePipeline(stages, context)
      return toFindRequest({ ...leading, collation, hint })
    },
  }

function firstPart(parts: unknown, toLimit: (part: Doc) => number): QueryRequest {
  const [part] = Array.isArray(parts) ? parts : []
  if (!isDocument(part)) throw new CommandError(9, 'Nothing to explain')
  const { q, collation, hint, sort } = part
  return toFindRequest({ filter: q, sort, collation, hint, limit: toLimit(part) })
}
