import { Command } from 'commander'
import { addGlobalOptions, formatExamples, toAction } from './options.ts'
import { type Select } from './run.ts'
import { addClient } from './client-command.ts'
import { addAccountCommands } from './account-commands.ts'
import { addAuditCommands } from './audit-commands.ts'
import { addFieldCommands } from './field-commands.ts'
import { addGenerateCommands } from './generate-commands.ts'
import { addImport } from './import-command.ts'
import { addCompletion, addInspectionCommands } from './inspection-commands.ts'
import { addJobCommands } from './job-commands.ts'
import { addMigrationCommands } from './migration-commands.ts'
import { addUpgrade } from './upgrade-command.ts'

/**
 * Creates the `api` program: its commands, arguments, options and help. Pass it to `run()`.
 *
 * @param select - receives the command that the arguments select
 * @returns the commander program
 */
export function createApiProgram(select: Select): Command {
  const program = addGlobalOptions(new Command('api'))
    .description('generate resources in a project created by create-api, run it and inspect it')
    .usage('<command> [options]')
    .helpCommand(...help)
    .commandsGroup('Generate:')
  addGenerateCommands(program, select)
  addFieldCommands(program, select)
  addDestroy(program, select)
  addMigrationCommands(program, select)
  addTemplates(program, select)
  addClient(program, select, '[source]')
  addUpgrade(program, select)
  program.commandsGroup('Run and inspect:')
  addDev(program, select)
  addInspectionCommands(program, select)
  addJobCommands(program, select)
  addAuditCommands(program, select)
  addImport(program, select)
  program.commandsGroup('Users and keys:')
  addAccountCommands(program, select)
  program.commandsGroup('Other:')
  addCompletion(program, select)
  // Again, in this group; the first one is that of the commands.
  return program.helpCommand(...help)
}

const help = ['help [command]', 'print the help of a command'] as const

const devHelp = `
The next process is prepared while the current one runs, so that a restart
takes about half a second. In a terminal, the return key restarts as well.`

function addDev(program: Command, select: Select): void {
  program
    .command('dev')
    .description('run the service, and restart it after each change')
    .option('--inspect [address]', 'open the inspector of Node.js (default: 127.0.0.1:9229)')
    .addHelpText('after', devHelp)
    .addHelpText('after', formatExamples('dev', 'dev --inspect'))
    .action(toAction(select, async () => (await import('../commands/develop.ts')).develop))
}

function addDestroy(program: Command, select: Select): void {
  const destroy = program
    .command('destroy')
    .alias('d')
    .description('remove a generated resource, or webhooks')
    .usage('<resource|webhooks> [name]')
  destroy
    .command('resource')
    .description('delete the files of a resource and unmount its router')
    .argument('<name>', 'name of the resource, in any spelling')
    .option('-n, --dry-run', 'print the plan without deleting anything')
    .option('-f, --force', 'also delete files that were edited')
    .addHelpText(
      'after',
      formatExamples('destroy resource posts --dry-run', 'destroy resource Post'),
    )
    .action(
      toAction(
        select,
        async () => (await import('../commands/destroy-resource.ts')).destroyResource,
      ),
    )
  destroy
    .command('webhooks')
    .description('delete the files of webhooks and unmount their router')
    .option('-n, --dry-run', 'print the plan without deleting anything')
    .option('-f, --force', 'also delete files that were edited')
    .addHelpText('after', formatExamples('destroy webhooks --dry-run'))
    .action(
      toAction(
        select,
        async () => (await import('../commands/destroy-webhooks.ts')).destroyWebhooks,
      ),
    )
}

function addTemplates(program: Command, select: Select): void {
  const templates = program
    .command('templates')
    .description('list the templates, or copy them to change them')
    .usage('<list|eject> [name]')
  templates
    .command('list')
    .description('list the templates')
    .addHelpText('after', formatExamples('templates list', 'templates list --json'))
    .action(
      toAction(select, async () => (await import('../commands/list-templates.ts')).listTemplates),
    )
  templates
    .command('eject')
    .description('copy one or all templates into the project')
    .argument('[name]', 'template, such as model or resource/test-setup.ts.hbs')
    .option('-n, --dry-run', 'print the plan without writing anything')
    .option('-f, --force', 'overwrite copies that were edited')
    .addHelpText('after', formatExamples('templates eject model', 'templates eject --dry-run'))
    .action(
      toAction(select, async () => (await import('../commands/list-templates.ts')).ejectTemplates),
    )
}
