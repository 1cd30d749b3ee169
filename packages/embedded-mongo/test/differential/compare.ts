import { type Document, EJSON, Long } from 'bson'
import { findExplanation } from './explained.ts'
import { type Wire } from './wire.ts'

/** Commands for one database, which they find empty. */
export interface Script {
  /** What the commands find; its replies are compared too. */
  readonly setup: readonly Document[]
  readonly commands: readonly Document[]
}

export interface Pair {
  readonly a: Wire
  readonly b: Wire
}

/** A command to which the servers reply differently. */
export interface Difference {
  readonly script: Script
  readonly command: Document
  readonly a: string
  readonly b: string
  /** Why this is expected: a name in `explained.ts`. */
  readonly explanation: string | undefined
}

export const database = 'differential'

/**
 * Runs a script on both servers.
 * @returns the differences, explained ones included
 */
export async function compareScript(servers: Pair, script: Script): Promise<Difference[]> {
  const differences: Difference[] = []
  await Promise.all([clear(servers.a), clear(servers.b)])
  const commands = [...script.setup, ...script.commands]
  for (const [index, command] of commands.entries()) {
    const replies = await Promise.all([
      servers.a.run(database, command),
      servers.b.run(database, command),
    ])
    const [a, b] = replies.map((reply) => write(normalize(reply)))
    if (a === undefined || b === undefined || a === b) continue
    const before = commands.slice(0, index).filter((earlier) => !isRead(earlier))
    differences.push({
      script: { setup: before, commands: [command] },
      command,
      a,
      b,
      explanation: findExplanation({ command, a: replies[0], b: replies[1] })?.name,
    })
    // The data may differ from here on.
    if (!isRead(command)) break
  }
  return differences
}

async function clear(server: Wire): Promise<void> {
  const { ok } = await server.run(database, { dropDatabase: 1 })
  if (Number(ok) !== 1) throw new Error('The server refuses dropDatabase')
}

const reads = new Set(['find', 'aggregate', 'count', 'distinct'])

function isRead(command: Document): boolean {
  return reads.has(Object.keys(command)[0] ?? '')
}

// Fields of a reply that say when and where it ran, or are text for people.
const volatile = new Set([
  '$clusterTime',
  'operationTime',
  'opTime',
  'electionId',
  'errmsg',
  'atClusterTime',
])

/** Removes from a reply what differs between two runs of one server. */
export function normalize(reply: Document): Document {
  return Object.fromEntries(
    Object.entries(reply)
      .filter(([name]) => !volatile.has(name))
      .map(([name, value]) => [name, normalizeField(name, value)]),
  )
}

function normalizeField(name: string, value: unknown): unknown {
  if (name === 'cursor') return normalizeCursor(value as Document)
  if (name === 'writeErrors') return (value as Document[]).map((error) => normalize(error))
  return value
}

function normalizeCursor({ id, postBatchResumeToken: _token, ...cursor }: Document): Document {
  return { ...cursor, isOpen: id !== undefined && !Long.fromValue(String(id)).isZero() }
}

/** Writes a value with its exact types and order. */
export function write(value: unknown): string {
  return EJSON.stringify(value, { relaxed: false })
}
