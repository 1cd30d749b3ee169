import { join } from 'node:path'
import { closestName } from '@create-api/core/internal/closest-name'
import { findMissing, formatEnvExample } from '../env/env-example.ts'
import {
  type EnvironmentVariable,
  type ProjectEnvironment,
  readEnvironment,
} from '../env/read-environment.ts'
import { readText } from '../files/plan.ts'
import { writeFile } from '../files/write-file.ts'
import { findProjectRoot, readProject } from '../project/open-project.ts'
import { type CommandContext } from '../terminal/command-context.ts'
import { describeChanges, toJsonFiles } from '../terminal/describe-changes.ts'
import { foldText } from '../terminal/fold-text.ts'
import { printTable } from '../terminal/print-table.ts'
import { type Note, type Outcome, toWarning } from '../terminal/reporter.ts'
import { apiCommand } from '../terminal/api-command.ts'

export interface ShowEnvironmentOptions {
  readonly filter?: string | undefined
  /** Add missing variables to `.env.example`. */
  readonly write?: boolean | undefined
  /** Exit with 1 if a value is invalid or `.env.example` is incomplete. */
  readonly check?: boolean | undefined
}

const exampleFile = '.env.example'

export async function showEnvironment(
  options: ShowEnvironmentOptions,
  context: CommandContext,
): Promise<Outcome> {
  const root = findProjectRoot(context.cwd)
  const found = await readEnvironment(readProject(root), context.terminal.env)
  const written = options.write
    ? await writeFile(root, exampleFile, (before) => formatEnvExample(before, found.variables))
    : []
  const present = readText(join(root, exampleFile)) ?? ''
  const missing = findMissing(present, found.variables).map(({ name }) => name)
  const { filter = '' } = options
  const variables = found.variables.filter(({ name }) => name.includes(filter.toUpperCase()))
  const faults = found.variables.filter(({ problem }) => problem !== undefined)
  const wrong = faults.length > 0 || missing.length > 0 || found.failure !== undefined
  return {
    exit: options.check && wrong ? 1 : 0,
    json: { command: 'env', variables, missing, files: toJsonFiles(written) },
    lines: options.write
      ? ['', ...describeChanges(written), '']
      : formatLines(variables, context.terminal.stdout.columns),
    notes: toNotes(found, missing),
  }
}

// The meaning is on its own lines: most terminals are too narrow for another column.
function formatLines(
  variables: readonly EnvironmentVariable[],
  columns: number | undefined,
): readonly string[] {
  const rows = variables.map((variable) => [
    variable.name,
    formatValue(variable),
    variable.source === 'option' ? `code: ${variable.option ?? ''}` : variable.source,
    variable.default ?? '',
  ])
  const [heading = '', ...lines] = printTable(['NAME', 'VALUE', 'SOURCE', 'DEFAULT'], rows)
  const width = Math.max(40, Math.min(columns ?? 100, 100)) - 4
  return [
    heading,
    ...variables.flatMap(({ meaning, problem }, index) => [
      lines[index] ?? '',
      ...foldText(meaning.replaceAll('`', ''), width).map((line) => `    ${line}`),
      ...(problem === undefined ? [] : [`  ✗ ${problem}`]),
    ]),
  ]
}

function formatValue({ isSecret, source, value }: EnvironmentVariable): string {
  if (isSecret && source !== 'default' && source !== 'unset') return '(hidden)'
  return value === '' ? '(empty)' : (value ?? '-')
}

function toNotes(
  { failure, unknown, variables }: ProjectEnvironment,
  missing: readonly string[],
): readonly Note[] {
  const names = variables.map(({ name }) => name)
  return [
    ...variables.flatMap(({ name, problem }) =>
      problem === undefined ? [] : [toWarning('INVALID_VALUE', `${name} ${problem}`)],
    ),
    ...unknown.flatMap((name) => {
      const near = closestName(name, names)
      if (near === undefined) return []
      return [toWarning('UNKNOWN_NAME', `${name} in .env is unknown; did you mean ${near}?`)]
    }),
    ...(missing.length === 0 ? [] : [toMissingNote(missing)]),
    ...(failure === undefined
      ? []
      : [toWarning('NOT_IMPORTED', `the application could not be imported: ${failure}`)]),
  ]
}

function toMissingNote(missing: readonly string[]): Note {
  return {
    kind: 'note',
    code: 'EXAMPLE_INCOMPLETE',
    message: `${exampleFile} does not mention ${missing.join(', ')}; add them: ${apiCommand} env --write`,
  }
}
