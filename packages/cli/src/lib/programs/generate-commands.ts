import { type Command, Option } from 'commander'
import { fieldKinds, toFieldType } from '../fields/field-types.ts'
import { modifierHelp } from '../fields/parse-modifiers.ts'
import { foldText } from '../terminal/fold-text.ts'
import { actions } from '../resource/actions.ts'
import { type PartName, parts } from '../resource/resource.ts'
import { factorNames, providerNames } from '../sign-in/ways.ts'
import { type Select } from './run.ts'
import { listOption, formatExamples, toAction } from './options.ts'

const scalars = fieldKinds.filter((kind) => toFieldType(kind).operand === undefined)
const examples = fieldKinds.flatMap((kind) => toFieldType(kind).operand?.example ?? [])

const fieldHelp = `
Fields: name:type:modifier…   (required unless "optional" or "default=")
  types      ${foldText(scalars.join(' '), 66).join('\n             ')}
             ${[...examples, 'array:string', 'array:ref:User'].join('   ')}
  objects    address.city:string address.zip:string
             lines:array:object lines.sku:string
  modifiers  ${modifierHelp.replace(' array', '')}`

const resourceExamples = formatExamples(
  'generate resource posts title:string live:boolean:default=false',
  'generate resource profiles bio:text:optional role:enum:admin,user',
  'generate resource orders total:decimal:min=0 --access owner',
  'generate resource pages title --access read=public,write=owner',
)

export function addGenerateCommands(program: Command, select: Select): void {
  const generate = program
    .command('generate')
    .alias('g')
    .description('generate a resource, one file of it, a middleware, ways to log in, or webhooks')
    .usage('<kind> [name] [fields...]')
  addGenerateResource(generate, select)
  for (const part of parts) {
    if (part !== 'mount') addGeneratePart(generate, part, select)
  }
  addGenerateMiddleware(generate, select)
  addGenerateAuth(generate, select)
  addGenerateWebhooks(generate, select)
}

function addGeneratePart(generate: Command, part: PartName, select: Select): void {
  generate
    .command(part)
    .description(`write the ${part} of a resource`)
    .argument('<name>', 'name of the resource')
    .argument('[fields...]', 'fields such as title:string')
    .addOption(accessOption())
    .option('-n, --dry-run', 'print the plan without writing anything')
    .option('-f, --force', 'overwrite a file that differs')
    .option('--no-format', "do not run the project's formatter")
    .addHelpText('after', formatExamples(`generate ${part} posts title:string`))
    .action(
      toAction(
        select,
        async () => (await import('../commands/generate-resource.ts')).generateResource,
        { only: [part] },
      ),
    )
}

function addGenerateMiddleware(generate: Command, select: Select): void {
  generate
    .command('middleware')
    .description('write an Express middleware')
    .argument('<name>', 'name of the middleware')
    .option('-n, --dry-run', 'print the plan without writing anything')
    .option('-f, --force', 'overwrite a file that differs')
    .addHelpText('after', formatExamples('generate middleware request-timer'))
    .action(
      toAction(
        select,
        async () => (await import('../commands/generate-middleware.ts')).generateMiddleware,
      ),
    )
}

function addGenerateAuth(generate: Command, select: Select): void {
  generate
    .command('auth')
    .description('add ways to log in: a second factor, passkeys, other providers')
    .addOption(
      listOption('--factors <list>', `${factorNames.join(', ')} (default: totp)`, factorNames),
    )
    .addOption(
      listOption('--providers <list>', `log in with ${providerNames.join(', ')}`, providerNames),
    )
    .option('--links', 'log in by a link or a code in a mail')
    .option('-n, --dry-run', 'print the plan without writing anything')
    .option('-f, --force', 'overwrite files that differ')
    .addHelpText(
      'after',
      formatExamples('generate auth --factors totp,passkeys --providers google'),
    )
    .action(
      toAction(select, async () => (await import('../commands/generate-auth.ts')).generateAuth),
    )
}

function addGenerateWebhooks(generate: Command, select: Select): void {
  generate
    .command('webhooks')
    .description('send events to endpoints of users')
    .option('-n, --dry-run', 'print the plan without writing anything')
    .option('-f, --force', 'overwrite files that differ')
    .addHelpText('after', formatExamples('generate webhooks'))
    .action(
      toAction(
        select,
        async () => (await import('../commands/generate-webhooks.ts')).generateWebhooks,
      ),
    )
}

function addGenerateResource(generate: Command, select: Select): void {
  generate
    .command('resource')
    .description('write all files of a resource and mount its router')
    .argument('<name>', 'name in kebab, snake, camel or Pascal case, singular or plural')
    .argument('[fields...]', 'fields such as body:text (default: title:string)')
    .addOption(accessOption())
    .option('--from-json <file>', 'infer the fields from documents: an array or lines of JSON')
    .option('--from-collection <name>', 'infer the fields from documents of the database')
    .option('--from-openapi <schema>', 'take the fields from a schema: openapi.json#Post')
    .option('--from-model <file>', 'use a Mongoose model that exists: src/models/post.ts#Post')
    .option('--check-data', 'only count the stored documents that the validation would reject')
    .option('-n, --dry-run', 'print the plan without writing anything')
    .option('--check', 'like --dry-run, but exit with 1 if anything would change')
    .option('-f, --force', 'overwrite files that differ')
    .option('--skip-existing', 'keep files that differ, and write the rest')
    .addOption(listOption('--only <parts>', `write only these parts: ${parts.join(', ')}`, parts))
    .addOption(listOption('--skip <parts>', 'write all parts except these', parts))
    .option('--path <path>', 'mount path (default: /api/<plural>)')
    .option('--tenant', 'documents belong to organizations: /api/orgs/:org/posts')
    .option('--under <resource>', 'nest the routes: /api/posts/:postId/comments')
    .option('--key <field>', 'unique field used in paths instead of the id, such as slug')
    .option('--singular <word>', 'singular form, if the guess is wrong')
    .option('--plural <word>', 'plural form, if the guess is wrong')
    .addOption(listOption('--actions <list>', `routes to write: ${actions.join(', ')}`, actions))
    .option('--soft-delete', 'keep deleted documents, and write a route that restores them')
    .option('--export', 'send the list also as CSV and NDJSON')
    .option('--live', 'write a route that sends the changes of the list')
    .option('--bulk', 'write a route for many changes in one request')
    .option('--audit', 'record who changed what in each document, and write a route for it')
    .option('--events', 'emit an event for each change of a document (@create-api/jobs)')
    .option('--collation <locale>', 'sort and filter text without regard to case: en')
    .option('--no-timestamps', 'omit createdAt and updatedAt')
    .option('--no-format', "do not run the project's formatter")
    .addHelpText('after', fieldHelp)
    .addHelpText('after', resourceExamples)
    .action(
      toAction(
        select,
        async () => (await import('../commands/generate-resource.ts')).generateResource,
      ),
    )
}

function accessOption(): Option {
  const description =
    'who may call the routes: public, user, owner, role:<name> or rule:<name>, also per action (default: public)'
  return new Option('--access <who>', description)
}
