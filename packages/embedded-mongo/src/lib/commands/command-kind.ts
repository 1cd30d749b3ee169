import { type Doc } from '../bson/document.ts'

// MongoDB's names for what a command does.
export interface CommandKind {
  // In `currentOp`.
  op: 'insert' | 'query' | 'update' | 'remove' | 'getmore' | 'command'
  // In `serverStatus`.
  counter: 'insert' | 'query' | 'update' | 'delete' | 'getmore' | 'command'
  // In `top`.
  event: 'insert' | 'queries' | 'update' | 'remove' | 'getmore' | 'commands'
  lock: 'readLock' | 'writeLock'
  // The argument whose items are counted.
  batch?: string
}

const kinds: ReadonlyMap<string, CommandKind> = new Map<string, CommandKind>([
  [
    'delete',
    { op: 'remove', counter: 'delete', event: 'remove', lock: 'writeLock', batch: 'deletes' },
  ],
  ['find', { op: 'query', counter: 'query', event: 'queries', lock: 'readLock' }],
  ['getMore', { op: 'getmore', counter: 'getmore', event: 'getmore', lock: 'readLock' }],
  [
    'insert',
    { op: 'insert', counter: 'insert', event: 'insert', lock: 'writeLock', batch: 'documents' },
  ],
  [
    'update',
    { op: 'update', counter: 'update', event: 'update', lock: 'writeLock', batch: 'updates' },
  ],
])

const others = { op: 'command', counter: 'command', event: 'commands' } as const
const reader: CommandKind = { ...others, lock: 'readLock' }
const writer: CommandKind = { ...others, lock: 'writeLock' }
const readers = new Set(
  'aggregate collStats count distinct explain listIndexes validate'.split(' '),
)

export function kindOf(command: string): CommandKind {
  return kinds.get(command) ?? (readers.has(command) ? reader : writer)
}

// The collection that a command concerns, if any.
export function collectionOf(command: string, body: Doc): string | undefined {
  const value = command === 'getMore' ? body['collection'] : body[command]
  return typeof value === 'string' ? value : undefined
}
