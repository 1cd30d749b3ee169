import { type Command } from 'commander'
import { choiceOption, collect, countBetween, formatExamples, toAction } from './options.ts'
import { type Select } from './run.ts'

const formats = ['csv', 'ndjson', 'json']

const help = `
Each line is sent to POST of the resource, without starting the service, so
validation, references, access and the code of the service apply. A column
belongs to the field with its name, such as title or address.city.

An import that was interrupted continues where it stopped, with the same
command. Rejected lines are written to <file>.rejected.csv.`

export function addImport(program: Command, select: Select): void {
  program
    .command('import')
    .description('create documents from a CSV, NDJSON or JSON file')
    .argument('<resource>', 'name of the resource, or path such as /api/posts')
    .argument('<file>', 'path of the file; - for standard input')
    .addOption(
      choiceOption('--format <format>', 'csv, ndjson or json (default: by extension)', formats),
    )
    .option('--map <pairs>', '"Column=field,Other=other", or a JSON file; repeatable', collect)
    .option('--set <field=value>', 'value of a field in every document; repeatable', collect)
    .option('--ignore <columns>', 'columns to leave out, separated by commas; repeatable', collect)
    .option('-n, --dry-run', 'check every line without creating anything')
    .option('--as <email>', 'create the documents as this user')
    .option(
      '--header <field>',
      'header of each request, such as "X-Organization: <id>"; repeatable',
      collect,
    )
    .option(
      '--max-errors <number>',
      'stop after more rejected lines than this',
      countBetween(0, 9999),
    )
    .option('--restart', 'import all lines again, also those that were created')
    .option(
      '--delimiter <character>',
      'comma, semicolon, tab or a character (default: by the first line)',
    )
    .option('--list-separator <text>', 'between the items of a list in a cell (default: ,)')
    .option('--keep-apostrophes', 'keep the apostrophe before text such as =1+1')
    .option('--encoding <name>', 'such as windows-1252 (default: by byte order mark, or UTF-8)')
    .option('-y, --yes', 'do not ask before writing to a database that is not embedded')
    .addHelpText('after', help)
    .addHelpText(
      'after',
      formatExamples(
        'import posts posts.csv --dry-run',
        'import posts posts.csv --as ada@example.com --map "Title=title,Text=body"',
        'import /api/authors/65f0c0ffee0123456789abcd/posts posts.ndjson',
      ),
    )
    .action(
      toAction(
        select,
        async () => (await import('../commands/import-documents.ts')).importDocuments,
      ),
    )
}
