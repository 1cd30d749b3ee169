import { join } from 'node:path'
import { CliError } from '../errors.ts'
import { readText } from '../files/plan.ts'
import { writeFile } from '../files/write-file.ts'
import { inspectApp } from '../inspect/inspect-app.ts'
import { compareDocuments } from '../openapi-diff/compare-documents.ts'
import { type Difference } from '../openapi-diff/difference.ts'
import { parseDocument } from '../openapi-diff/document.ts'
import { findProjectRoot, type Project, readProject } from '../project/open-project.ts'
import { type CommandContext } from '../terminal/command-context.ts'
import { describeChanges, toJsonFiles } from '../terminal/describe-changes.ts'
import { type Outcome } from '../terminal/reporter.ts'
import { apiCommand } from '../terminal/api-command.ts'

/** Options of `api openapi`. */
export interface OpenApiOptions {
  /** Compare with this file; true means `openapi.json`. */
  readonly check?: string | true | undefined
  /** Write to this file; true means `openapi.json`. */
  readonly write?: string | true | undefined
}

/**
 * Prints the OpenAPI document of the application, as `/openapi.json` serves it; or writes it to a
 * file, or compares it with one.
 *
 * @param options what to do with it
 * @param context the world
 * @returns the document, or what became of the file, or the differences
 * @throws CliError `PROBLEMS_FOUND` when the application cannot be imported, or `INVALID_DOCUMENT`
 */
export async function printOpenApi(
  options: OpenApiOptions,
  context: CommandContext,
): Promise<Outcome> {
  const { check, write } = options
  if (check !== undefined && write !== undefined) {
    throw new CliError('USAGE', '--check and --write do not go together')
  }
  const project = readProject(findProjectRoot(context.cwd))
  const committed = check === undefined ? undefined : readCommitted(project, toPath(check))
  const { openapi } = await inspectApp(project, context.terminal.env)
  if (openapi === undefined) {
    throw new CliError('PROBLEMS_FOUND', 'the application has no document: openapi is false')
  }
  if (committed !== undefined) return describeDifferences(committed, openapi)
  const text = JSON.stringify(openapi, undefined, 2)
  if (write === undefined) {
    return { json: { command: 'openapi', document: openapi }, lines: [text], notes: [] }
  }
  const changes = await writeFile(project.root, toPath(write), () => `${text}\n`)
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

function readCommitted({ root }: Project, path: string): Committed {
  const text = readText(join(root, path))
  if (text !== undefined) return { path, document: parseDocument(text, path) }
  throw new CliError('INVALID_DOCUMENT', `there is no ${path} to compare with`, {
    hint: `write and commit it: ${apiCommand} openapi --write ${path}`,
  })
}

function describeDifferences({ document, path }: Committed, openapi: unknown): Outcome {
  const differences = compareDocuments(document, openapi)
  const broken = differences.filter(({ breaking }) => breaking).length
  const meant = `when this is meant: ${apiCommand} openapi --write ${path}`
  return {
    exit: broken > 0 ? 1 : 0,
    json: { command: 'openapi --check', file: path, breaking: broken, differences },
    lines: ['', ...toGroups(differences), summarise(differences.length, broken), ''],
    notes: differences.length === 0 ? [] : [{ kind: 'next', message: meant }],
  }
}

function toGroups(differences: readonly Difference[]): readonly string[] {
  const operations = [...new Set(differences.map(({ operation }) => operation))]
  return operations.flatMap((operation) => [
    `  ${operation}`,
    ...differences.filter((difference) => difference.operation === operation).map(toLine),
    '',
  ])
}

function toLine({ at, breaking, message, rule }: Difference): string {
  const place = at === '' ? '' : `${at}: `
  return `    ${breaking ? '✗' : '✓'} ${place}${message}   (${rule})`
}

function summarise(count: number, broken: number): string {
  if (count === 0) return '  No difference for clients.'
  const what = count === 1 ? '1 difference' : `${count} differences`
  return `  ${what}, ${broken} breaking`
}
