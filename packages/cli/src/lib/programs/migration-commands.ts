import { type Command } from 'commander'
import { collect, countBetween, formatExamples, toAction } from './options.ts'
import { type Select } from './run.ts'

const help = `
Migrations are the files in src/migrations. They are applied in the order of
their names, once on each database, by one process at a time. A run that was
killed or interrupted continues where it stopped.`

export function addMigrationCommands(program: Command, select: Select): void {
  const migrate = program
    .command('migrate')
    .description('change stored documents and indexes with migrations')
    .usage('<create|plan|up|down|status|redo>')
    .addHelpText('after', help)
  migrate
    .command('create')
    .description('write a new migration')
    .argument('<name>', 'name that says what it does, such as split-names')
    .option('--no-format', "do not run the project's formatter")
    .addHelpText('after', formatExamples('migrate create split-names'))
    .action(
      toAction(
        select,
        async () => (await import('../commands/create-migration.ts')).createMigration,
      ),
    )
  migrate
    .command('plan')
    .description('print what up would do, with the number of documents')
    .addHelpText('after', formatExamples('migrate plan', 'migrate plan --json'))
    .action(toAction(select, async () => (await import('../commands/migrate.ts')).planMigrations))
  addUp(migrate, select)
  addDown(migrate, select)
  migrate
    .command('status')
    .description('list the migrations and their state')
    .addHelpText('after', formatExamples('migrate status', 'migrate status --json'))
    .action(toAction(select, async () => (await import('../commands/migrate.ts')).showMigrations))
  migrate
    .command('redo')
    .description('revert the last migration and apply it again, also after an edit')
    .addHelpText('after', formatExamples('migrate redo'))
    .action(toAction(select, async () => (await import('../commands/migrate.ts')).redoMigration))
}

function addUp(migrate: Command, select: Select): void {
  migrate
    .command('up')
    .description('apply the pending migrations')
    .option('--to <name>', 'last migration to apply')
    .option(
      '--accept <name>',
      'accept a migration that was edited, is missing or is out of order; repeatable',
      collect,
    )
    .option('-n, --dry-run', 'print the plan without changing anything')
    .addHelpText(
      'after',
      formatExamples(
        'migrate up',
        'migrate up --dry-run',
        'migrate up --accept 20261121190301-add-price-to-posts',
      ),
    )
    .action(toAction(select, async () => (await import('../commands/migrate.ts')).migrateUp))
}

function addDown(migrate: Command, select: Select): void {
  migrate
    .command('down')
    .description('revert the last migration')
    .option('--count <number>', 'number of migrations to revert (default: 1)', countBetween(1, 999))
    .option('-n, --dry-run', 'print the plan without changing anything')
    .addHelpText('after', formatExamples('migrate down', 'migrate down --count 2 --dry-run'))
    .action(toAction(select, async () => (await import('../commands/migrate.ts')).migrateDown))
}
