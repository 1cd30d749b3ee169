import { type Command } from 'commander'
import { formatExamples, toAction } from './options.ts'
import { type Select } from './run.ts'

const fieldHelp = `
Fields are written as for api generate resource. A field that is required or
has a default also gets a migration of stored documents.`

export function addFieldCommands(program: Command, select: Select): void {
  const add = program
    .command('add')
    .description('add fields to a resource')
    .usage('field <resource> <fields...>')
  fieldCommand(add, 'add fields to model, validation and test')
    .argument('<fields...>', 'fields such as price:number:min=0')
    .addHelpText('after', fieldHelp)
    .addHelpText(
      'after',
      formatExamples(
        'add field posts price:number:min=0',
        'add field posts note:text:optional views:int:default=0 --dry-run',
        'add field posts author:ref:User --no-migration',
      ),
    )
    .action(toAction(select, async () => (await import('../commands/change-fields.ts')).addFields))
  const remove = program
    .command('remove')
    .description('remove fields from a resource')
    .usage('field <resource> <names...>')
  fieldCommand(remove, 'remove fields from model, validation and test')
    .argument('<names...>', 'names of fields')
    .addHelpText(
      'after',
      formatExamples('remove field posts price', 'remove field posts note views --dry-run'),
    )
    .action(
      toAction(select, async () => (await import('../commands/change-fields.ts')).removeFields),
    )
}

function fieldCommand(parent: Command, description: string): Command {
  return parent
    .command('field')
    .description(description)
    .argument('<resource>', 'name of the resource, in any spelling')
    .option('-n, --dry-run', 'print the plan without writing anything')
    .option('-f, --force', 'overwrite files that were edited')
    .option('--skip-edited', 'keep files that were edited, and write the rest')
    .option('--no-migration', 'write no migration of stored documents')
    .option('--no-format', "do not run the project's formatter")
}
