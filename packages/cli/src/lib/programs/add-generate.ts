import { type Command } from 'commander'
import { choiceOption, listOption, toExamples } from '../program-options.ts'
import { accessChoices, actions, type PartName, parts } from '../resource/resource.ts'
import { type Selected } from '../run.ts'

type Select = (command: Selected) => void

const fieldHelp = `
Fields: name:type:modifier…   (required, but with "optional" or "default=")
  types      string text int number decimal boolean date email url uuid
             objectid object any
             enum:draft,published   ref:User   array:string   array:ref:User
  objects    address.city:string address.zip:string
             lines:array:object lines.sku:string
  modifiers  required optional unique index sparse default=… min=… max=… match=…`

const resourceExamples = toExamples(
  'generate resource posts title:string live:boolean:default=false',
  'generate resource profiles bio:text:optional role:enum:admin,user',
  'generate resource orders total:decimal:min=0 --access owner',
)

/**
 * Adds the commands that generate: a resource, one file of it, a middleware.
 *
 * @param program the program `api`
 * @param select takes the command that the arguments chose
 */
export function addGenerate(program: Command, select: Select): void {
  const generate = program
    .command('generate')
    .alias('g')
    .description('generate a resource, one file of it, or a middleware')
    .usage('<resource|part|middleware> <name> [fields...]')
  addGenerateResource(generate, select)
  for (const part of parts) {
    if (part !== 'mount') addGeneratePart(generate, part, select)
  }
  addGenerateMiddleware(generate, select)
}

function addGeneratePart(generate: Command, part: PartName, select: Select): void {
  generate
    .command(part)
    .description(`write the ${part} of a resource`)
    .argument('<name>', 'name of the resource')
    .argument('[fields...]', 'fields such as title:string')
    .addOption(choiceOption('--access <who>', 'who may call it (default: public)', accessChoices))
    .option('-n, --dry-run', 'print the plan, write nothing')
    .option('-f, --force', 'overwrite a file that differs')
    .option('--no-format', "do not run the project's formatter")
    .addHelpText('after', toExamples(`generate ${part} posts title:string`))
    .action((name: string, fields: string[], options: object) => {
      select(async (context) => {
        const { generateResource } = await import('../commands/generate-resource.ts')
        return generateResource({ ...options, name, fields, only: [part] }, context)
      })
    })
}

function addGenerateMiddleware(generate: Command, select: Select): void {
  generate
    .command('middleware')
    .description('write an Express middleware')
    .argument('<name>', 'its name')
    .option('-n, --dry-run', 'print the plan, write nothing')
    .option('-f, --force', 'overwrite a file that differs')
    .addHelpText('after', toExamples('generate middleware request-timer'))
    .action((name: string, options: object) => {
      select(async (context) => {
        const { generateMiddleware } = await import('../commands/generate-middleware.ts')
        return generateMiddleware({ ...options, name }, context)
      })
    })
}

function addGenerateResource(generate: Command, select: Select): void {
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
    .option('--under <resource>', 'nest it: /api/posts/:postId/comments')
    .option('--key <field>', 'unique field that stands for the id in paths, such as slug')
    .option('--singular <word>', 'singular, when the guess is wrong')
    .option('--plural <word>', 'plural, when the guess is wrong')
    .addOption(listOption('--actions <list>', `some of ${actions.join(',')}`, actions))
    .option('--no-timestamps', 'without createdAt and updatedAt')
    .option('--no-format', "do not run the project's formatter")
    .addHelpText('after', fieldHelp)
    .addHelpText('after', resourceExamples)
    .action((name: string, fields: string[], options: object) => {
      select(async (context) => {
        const { generateResource } = await import('../commands/generate-resource.ts')
        return generateResource({ ...options, name, fields }, context)
      })
    })
}
