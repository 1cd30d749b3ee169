import {
  type Call,
  type DoneMigration,
  type MigrationStatus,
  type PlannedMigration,
  runMigrator,
  formatDuration,
} from '../migrate/run-migrator.ts'
import { apiCommand } from '../terminal/api-command.ts'
import { count } from '../terminal/count.ts'
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
  { dryRun, ...options }: MigrateUpOptions,
  context: CommandContext,
): Promise<Outcome> {
  return dryRun
    ? plan('migrate up', { method: 'planUp', options }, context)
    : change('migrate up', { method: 'up', options }, context)
}

export async function planMigrations(_options: object, context: CommandContext): Promise<Outcome> {
  return plan('migrate plan', { method: 'planUp' }, context)
}

export async function migrateDown(
  { dryRun, ...options }: MigrateDownOptions,
  context: CommandContext,
): Promise<Outcome> {
  return dryRun
    ? plan('migrate down', { method: 'planDown', options }, context)
    : change('migrate down', { method: 'down', options }, context)
}

export async function redoMigration(_options: object, context: CommandContext): Promise<Outcome> {
  return change('migrate redo', { method: 'redo' }, context)
}

export async function showMigrations(_options: object, context: CommandContext): Promise<Outcome> {
  const { entries, running } = await runMigrator<MigrationStatus>({ method: 'status' }, context)
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

async function plan(command: string, call: Call, context: CommandContext): Promise<Outcome> {
  const migrations = await runMigrator<readonly PlannedMigration[]>(call, context)
  const lines = migrations.flatMap(({ isBegun, name, steps }) => [
    `  ${name}${isBegun ? '  continues where a run has stopped' : ''}`,
    ...steps.map(
      ({ description, documents }) =>
        `    ${description}${documents === undefined ? '' : `: ${count(documents, 'document')}`}`,
    ),
  ])
  return {
    json: { command, dryRun: true, migrations },
    lines: ['', ...(lines.length === 0 ? ['  Nothing to do.'] : lines), ''],
    notes: migrations.length > 0 ? [toNextStep(command)] : [],
  }
}

function toNextStep(command: string): Note {
  const next = command === 'migrate plan' ? 'migrate up' : command
  return { kind: 'next', message: `nothing was changed; to apply this plan: ${apiCommand} ${next}` }
}

async function change(command: string, call: Call, context: CommandContext): Promise<Outcome> {
  const migrations = await runMigrator<readonly DoneMigration[]>(call, context)
  const lines = migrations.map(
    ({ direction, documents, durationMs, name }) =>
      `  ${direction === 'up' ? 'applied ' : 'reverted'}  ${name}  ${formatDuration(durationMs)}${documents === 0 ? '' : `, ${count(documents, 'document')}`}`,
  )
  return {
    json: { command, dryRun: false, migrations },
    lines: ['', ...(lines.length === 0 ? ['  Nothing to do.'] : lines), ''],
    notes: [],
  }
}
