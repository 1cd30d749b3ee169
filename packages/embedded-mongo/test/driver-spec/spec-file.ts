import { readdirSync, readFileSync } from 'node:fs'
import { basename, join, relative } from 'node:path'
import { EJSON } from 'bson'
import { type Document } from 'mongodb'
import { fromLegacy } from './legacy.ts'

/** A file of the unified test format. */
export interface SpecFile {
  runOnRequirements?: Requirement[]
  createEntities?: EntitySpec[]
  initialData?: CollectionData[]
  tests: SpecTest[]
}

export interface SpecTest {
  description: string
  runOnRequirements?: Requirement[]
  skipReason?: string
  operations: Operation[]
  expectEvents?: ExpectedEvents[]
  expectLogMessages?: Document[]
  outcome?: CollectionData[]
}

export interface Requirement {
  minServerVersion?: string
  maxServerVersion?: string
  topologies?: string[]
  serverParameters?: Document
  auth?: boolean
  serverless?: 'require' | 'forbid' | 'allow'
  csfle?: unknown
}

/** One field, the kind of the entity, with its options. */
export type EntitySpec = Record<string, Document & { id: string }>

export interface CollectionData {
  databaseName: string
  collectionName: string
  documents: Document[]
  createOptions?: Document
}

export interface Operation {
  name: string
  object: string
  arguments?: Document
  expectError?: Document
  expectResult?: unknown
  saveResultAsEntity?: string
  ignoreResultAndError?: boolean
}

export interface ExpectedEvents {
  client: string
  eventType?: 'command' | 'cmap' | 'sdam'
  events: Record<string, Document>[]
  ignoreExtraEvents?: boolean
}

// What a driver sends to a server, and gets back; the rest tests the driver alone.
const folders = [
  'change-streams',
  'collection-management',
  'command-monitoring',
  'convenient-transactions',
  'crud',
  'gridfs',
  'index-management',
  'read-write-concern',
  'retryable-reads',
  'retryable-writes',
  'run-command',
  'sessions',
  'transactions',
  'transactions-convenient-api',
  'unified-test-format',
  'versioned-api',
]

export interface NamedSpecFile extends SpecFile {
  path: string
}

/** The files of a folder of the specifications, or of a driver's copy, in either format. */
export function readSpecFiles(root: string): NamedSpecFile[] {
  return folders
    .flatMap((folder) => listJson(join(root, folder)))
    .filter((path) => !/[/\\](?:valid-fail|invalid)[/\\]/.test(path))
    .flatMap((path) => {
      const file = parse(path)
      return file ? [{ ...file, path: relative(root, path) }] : []
    })
}

function listJson(folder: string): string[] {
  try {
    const names = readdirSync(folder, { recursive: true, encoding: 'utf8' }).toSorted()
    return names.filter((name) => name.endsWith('.json')).map((name) => join(folder, name))
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return []
    throw error
  }
}

function parse(path: string): SpecFile | undefined {
  const content: Document = EJSON.parse(readFileSync(path, 'utf8'))
  if (content['schemaVersion'] !== undefined) return content as SpecFile
  return fromLegacy(content, basename(path))
}
