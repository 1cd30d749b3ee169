import { join } from 'node:path'
import { compareDocuments, type Difference, DocumentError } from '@create-api/openapi-diff'
import { parseDocument } from '../client/read-source.ts'
import { CliError } from '../errors/cli-error.ts'
import { readText } from '../files/plan.ts'
import { writeFile } from '../files/write-file.ts'
import { readOpenApi } from '../inspect/inspect-app.ts'
import { openProject } from '../project/open-project.ts'
import { count } from '../terminal/count.ts'
import { type CommandContext } from '../terminal/command-context.ts'
import { describeChanges, toJsonFiles } from '../terminal/describe-changes.ts'
import { type Outcome } from '../terminal/reporter.ts'
import { apiCommand } from '../terminal/api-command.ts'
import { quoteForShell } from '../terminal/quote-for-shell.ts'

export interface OpenApiOptions {
  /** File to compare with; true for `openapi.json`. */
  readonly check?: string | true | undefined
  /** File to write; true for `openapi.json`. */
  readonly write?: string | true | undefined
}

export async function printOpenApi(
  { check, write }: OpenApiOptions,
  { cwd, terminal }: CommandContext,
): Promise<Outcome> {
  if (check !== undefined && write !== undefined) {
    throw new CliError('USAGE', '--check and --write cannot be combined')
  }
  const project = openProject(cwd)
  const { root } = project
  const committed = check === undefined ? undefined : readCommitted(root, toPath(check))
  const openapi = await readOpenApi(project, terminal.env)
  if (committed !== undefined) return describeDifferences(committed, openapi)
  const text = JSON.stringify(openapi, undefined, 2)
  if (write === undefined) {
    return { json: { command: 'openapi', document: openapi }, lines: [text], notes: [] }
  }
  const changes = await writeFile(root, toPath(write), () => `${text}\n`)
  return {
    json: { command: 'openapi', files: toJsonFiles(changes) },
    lines: ['', ...describeChanges(changes), ''],
    notes: [],
  }
}

function toPath(option: string | true): string {
  return option === true ? 'openapi.json' : option
}

interface Committed {
  readonly path: string
  readonly document: unknown
}

function readCommitted(root: string, path: string): Committed {
  const text = readText(join(root, path))
  if (text !== undefined) return { path, document: parseDocument(text, path) }
  throw new CliError(
    'INVALID_DOCUMENT',
    `${path} does not exist, so there is nothing to compare with`,
    {
      hint: `create and commit it: ${apiCommand} openapi --write ${quoteForShell(path)}`,
    },
  )
}

function compare({ document, path }: Committed, openapi: unknown): readonly Difference[] {
  try {
    return compareDocuments(document, openapi)
  } catch (error) {
    if (!(error instanceof DocumentError)) throw error
    const file = error.document === 'before' ? path : 'the document of the application'
    throw new CliError('INVALID_DOCUMENT', `${file} cannot be compared: ${error.message}`, {
      hint: `write it again: ${apiCommand} openapi --write ${quoteForShell(path)}`,
      cause: error,
    })
  }
}

function describeDifferences(committed: Committed, openapi: unknown): Outcome {
  const { path } = committed
  const differences = compare(committed, openapi)
  const broken = differences.filter(({ breaking }) => breaking).length
  const accept = `to accept these changes: ${apiCommand} openapi --write ${quoteForShell(path)}`
  return {
    exit: broken > 0 ? 1 : 0,
    json: { command: 'openapi --check', file: path, breaking: broken, differences },
    lines: ['', ...formatGroups(differences), summarise(differences.length, broken), ''],
    notes: differences.length === 0 ? [] : [{ kind: 'next', message: accept }],
  }
}

function formatGroups(differences: readonly Difference[]): readonly string[] {
  const operations = [...new Set(differences.map(({ operation }) => operation))]
  return operations.flatMap((operation) => [
    `  ${operation}`,
    ...differences.filter((difference) => difference.operation === operation).map(formatDifference),
    '',
  ])
}

function formatDifference({ at, breaking, message, rule }: Difference): string {
  const place = at === '' ? '' : `${at}: `
  return `    ${breaking ? '✗' : '✓'} ${place}${message}   (${rule})`
}

function summarise(differences: number, broken: number): string {
  if (differences === 0) return '  No difference for clients.'
  return `  ${count(differences, 'difference')}, ${broken} breaking`
}
