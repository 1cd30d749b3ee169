import { findProjectRoot, readProject } from '../project/open-project.ts'
import {
  type DoneMigration,
  type MigrationStatus,
  type PlannedMigration,
  runMigrator,
  formatDuration,
} from '../migrate/run-migrator.ts'
import { apiCommand } from '../terminal/api-command.ts'
import { type CommandContext } from '../terminal/command-context.ts'
import { printTable } from '../terminal/print-table.ts'
import { type Note, type Outcome } from '../terminal/reporter.ts'

export interface MigrateUpOptions {
  /** The last one to apply. */
  readonly to?: string | undefined
  /** Migrations whose state a person has looked at. */
  readonly accept?: readonly string[] | undefined
  readonly dryRun?: boolean | undefined
}

export interface MigrateDownOptions {
  readonly count?: number | undefined
  readonly dryRun?: boolean | undefined
}

export async function migrateUp(
  { dryRun = false, ...options }: MigrateUpOptions,
  context: CommandContext,
): Promise<Outcome> {
  const project = readProject(findProjectRoot(context.cwd))
  if (dryRun) {
    const plan = await runMigrator<Plan>(project, { method: 'planUp', options }, context)
    return describePlan('migrate up', plan)
  }
  return describeDone(
    'migrate up',
    await runMigrator<Done>(project, { method: 'up', options }, context),
  )
}

export async function planMigrations(_options: object, context: CommandContext): Promise<Outcome> {
  const project = readProject(findProjectRoot(context.cwd))
  return describePlan(
    'migrate plan',
    await runMigrator<Plan>(project, { method: 'planUp' }, context),
  )
}

export async function migrateDown(
  { dryRun = false, ...options }: MigrateDownOptions,
  context: CommandContext,
): Promise<Outcome> {
  const project = readProject(findProjectRoot(context.cwd))
  if (dryRun) {
    const plan = await runMigrator<Plan>(project, { method: 'planDown', options }, context)
    return describePlan('migrate down', plan)
  }
  return describeDone(
    'migrate down',
    await runMigrator<Done>(project, { method: 'down', options }, context),
  )
}

export async function redoMigration(_options: object, context: CommandContext): Promise<Outcome> {
  const project = readProject(findProjectRoot(context.cwd))
  return describeDone('migrate redo', await runMigrator<Done>(project, { method: 'redo' }, context))
}

export async function showMigrations(_options: object, context: CommandContext): Promise<Outcome> {
  const project = readProject(findProjectRoot(context.cwd))
  const { entries, running } = await runMigrator<MigrationStatus>(
    project,
    { method: 'status' },
    context,
  )
  const migrations = entries.map(({ name, record, state }) => ({
    name,
    state,
    appliedAt: record?.appliedAt,
    durationMs: record?.durationMs,
    documents: record?.documents,
    version: record?.version,
  }))
  const rows = migrations.map(({ appliedAt, documents, durationMs, name, state, version }) => [
    name,
    state,
    appliedAt?.slice(0, 19).replace('T', ' ') ?? '',
    durationMs === undefined ? '' : formatDuration(durationMs),
    documents === undefined ? '' : String(documents),
    version ?? '',
  ])
  const heading = ['migration', 'state', 'applied (UTC)', 'time', 'documents', 'version']
  return {
    json: { command: 'migrate status', migrations, running: running ?? null },
    lines: rows.length === 0 ? ['', '  There are no migrations.', ''] : printTable(heading, rows),
    notes: running
      ? [{ kind: 'note', message: `process ${running.pid} on ${running.host} runs migrations now` }]
      : [],
  }
}

type Plan = readonly PlannedMigration[]
type Done = readonly DoneMigration[]

function describePlan(command: string, migrations: Plan): Outcome {
  const lines = migrations.flatMap(({ isBegun, name, steps }) => [
    `  ${name}${isBegun ? '  continues where a run has stopped' : ''}`,
    ...steps.map(({ description, documents }) => `    ${description}${formatCount(documents)}`),
  ])
  return {
    json: { command, dryRun: true, migrations },
    lines: ['', ...(lines.length === 0 ? ['  Nothing to do.'] : lines), ''],
    notes: migrations.length > 0 ? [toNextStep(command)] : [],
  }
}

function toNextStep(command: string): Note {
  const next = command === 'migrate plan' ? 'migrate up' : command
  return { kind: 'next', message: `nothing was changed; to do it: ${apiCommand} ${next}` }
}

function formatCount(documents: number | undefined): string {
  if (documents === undefined) return ''
  return documents === 1 ? ': 1 document' : `: ${documents} documents`
}

function describeDone(command: string, migrations: Done): Outcome {
  const lines = migrations.map(
    ({ direction, documents, durationMs, name }) =>
      `  ${direction === 'up' ? 'applied ' : 'reverted'}  ${name}  ${formatDuration(durationMs)}${documents === 0 ? '' : formatCount(documents).replace(':', ',')}`,
  )
  return {
    json: { command, dryRun: false, migrations },
    lines: ['', ...(lines.length === 0 ? ['  Nothing to do.'] : lines), ''],
    notes: [],
  }
}
