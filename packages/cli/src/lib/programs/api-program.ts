import { Command } from 'commander'
import { addGlobalOptions, choiceOption, listOption } from '../program-options.ts'
import { accessChoices, actions, parts } from '../resource/resource.ts'
import { type Selected } from '../run.ts'

const fieldHelp = `
Fields: name:type:modifier…   (required unless "optional" or "default=" is given)
  types      string text int number decimal boolean date email url uuid objectid object any
             enum:draft,published   ref:User   array:string   array:ref:User
  modifiers  required optional unique index sparse default=… min=… max=… match=…

Examples:
  api generate resource posts title:string body:text published:boolean:default=false
  api generate resource users-profile name bio:text:optional role:enum:admin,user author:ref:User
  api generate resource orders total:decimal:min=0 tags:array:string --access owner --dry-run`

/**
 * Builds the program `api`: names, arguments, flags and help. It does no work itself.
 *
 * @param select takes the command that the arguments chose
 * @returns the program
 */
export function createApiProgram(select: (command: Selected) => void): Command {
  const program = addGlobalOptions(new Command('api'))
    .description('Generate and inspect resources inside a project made by create-api.')
    .usage('<command> [options]')
  const generate = program
    .command('generate')
    .alias('g')
    .description('generate a resource')
    .usage('resource <name> [fields...]')
  addGenerateResource(generate, select)
  return program
}

function addGenerateResource(generate: Command, select: (command: Selected) => void): void {
  generate
    .command('resource')
    .description('write routes, controller, service, validation, model and test; mount the router')
    .argument('<name>', 'kebab, snake, camel or Pascal case, singular or plural')
    .argument('[fields...]', 'fields such as title:string; none means title:string')
    .addOption(choiceOption('--access <who>', 'who may call it (default: public)', accessChoices))
    .option('-n, --dry-run', 'print the plan, write nothing')
    .option('--check', 'like --dry-run, exit 1 if anything would change')
    .option('-f, --force', 'overwrite files that differ')
    .option('--skip-existing', 'keep files that differ, write the rest')
    .addOption(listOption('--only <parts>', `only these of ${parts.join(',')}`, parts))
    .addOption(listOption('--skip <parts>', 'all but these', parts))
    .option('--path <path>', 'mount path (default: /api/<plural>)')
    .option('--singular <word>', 'singular, when the guess is wrong')
    .option('--plural <word>', 'plural, when the guess is wrong')
    .addOption(listOption('--actions <list>', `some of ${actions.join(',')}`, actions))
    .option('--no-timestamps', 'without createdAt and updatedAt')
    .option('--no-format', "do not run the project's formatter")
    .addHelpText('after', fieldHelp)
    .action((name: string, fields: string[], options: object) => {
      select(async (context) => {
        const { generateResource } = await import('../commands/generate-resource.ts')
        return generateResource({ ...options, name, fields }, context)
      })
    })
}
