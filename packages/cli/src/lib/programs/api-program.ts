import { Command } from 'commander'
import { addGlobalOptions, toExamples } from '../program-options.ts'
import { type Selected } from '../run.ts'
import { addFieldCommands } from './add-field-commands.ts'
import { addAccounts } from './add-accounts.ts'
import { addGenerate } from './add-generate.ts'
import { addInspection } from './add-inspection.ts'

type Select = (command: Selected) => void

/**
 * Builds the program `api`: names, arguments, flags and help. It does no work itself.
 *
 * @param select takes the command that the arguments chose
 * @returns the program
 */
export function createApiProgram(select: Select): Command {
  const program = addGlobalOptions(new Command('api'))
    .description('Generate and inspect resources inside a project made by create-api.')
    .usage('<command> [options]')
  addGenerate(program, select)
  addFieldCommands(program, select)
  addDestroy(program, select)
  addTemplates(program, select)
  addInspection(program, select)
  addAccounts(program, select)
  return program
}

function addDestroy(program: Command, select: Select): void {
  program
    .command('destroy')
    .alias('d')
    .description('undo a generate')
    .usage('resource <name>')
    .command('resource')
    .description('delete the files of a resource and unmount its router')
    .argument('<name>', 'name of the resource, in any spelling')
    .option('-n, --dry-run', 'print the plan, delete nothing')
    .option('-f, --force', 'delete files that were edited, too')
    .addHelpText('after', toExamples('destroy resource posts --dry-run', 'destroy resource Post'))
    .action((name: string, options: object) => {
      select(async (context) => {
        const { destroyResource } = await import('../commands/destroy-resource.ts')
        return destroyResource({ ...options, name }, context)
      })
    })
}

function addTemplates(program: Command, select: Select): void {
  const templates = program
    .command('templates')
    .description('list templates, or copy them to change them')
    .usage('<list|eject> [name]')
  templates
    .command('list')
    .description('list the templates')
    .addHelpText('after', toExamples('templates list', 'templates list --json'))
    .action(() => {
      select(async (context) => {
        const { listTemplates } = await import('../commands/list-templates.ts')
        return listTemplates(context)
      })
    })
  templates
    .command('eject')
    .description('copy a template, or all of them, into the project')
    .argument('[name]', 'such as model or resource/service-scoped.ts.hbs')
    .option('-n, --dry-run', 'print the plan, write nothing')
    .option('-f, --force', 'overwrite one that was changed')
    .addHelpText('after', toExamples('templates eject model', 'templates eject --dry-run'))
    .action((name: string | undefined, options: object) => {
      select(async (context) => {
        const { ejectTemplates } = await import('../commands/list-templates.ts')
        return ejectTemplates({ ...options, name }, context)
      })
    })
}
