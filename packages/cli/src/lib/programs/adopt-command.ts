import { type Command } from 'commander'
import { type AdoptOptions } from '../commands/adopt.ts'
import { packageName } from '../package/own-package.ts'
import { toAction } from './options.ts'
import { type Select } from './run.ts'

const help = `
Writes the files of an API into a folder, adds packages to package.json, and one
line with its import to the file that creates the Express app. No other line of
the application changes. --undo takes it back.

Examples:
  npx ${packageName} adopt --dry-run
  npx ${packageName} adopt --prefix /v2
  npx ${packageName} adopt --undo`

interface ProgramOptions {
  readonly yes?: boolean
  readonly dryRun?: boolean
}

// Adds `adopt` to the program that creates projects.
export function addAdopt(program: Command, select: Select): void {
  program
    .command('adopt')
    .description('mount an API in the existing Express application of this folder')
    .option('--app <file>', 'file that creates the app, such as src/app.js or src/app.js:12')
    .option('--prefix <path>', 'path below which the API is mounted (default: none)')
    .option(
      '--dir <folder>',
      'folder for the files of the API (default: api, in src if the app is)',
    )
    .option('--no-users', 'give the API its own users instead of those of the application')
    .option('--undo', 'take the adoption back, and keep what you have changed since')
    .option('-y, --yes', 'write without prompting')
    .option('-n, --dry-run', 'print the plan without writing anything')
    .addHelpText('after', help)
    .action(function (this: Command) {
      // The program has these options as well, and takes them.
      const given = Object.entries(program.opts<ProgramOptions>()).filter(
        ([name]) => name === 'yes' || name === 'dryRun',
      )
      toAction<AdoptOptions>(
        select,
        async () => (await import('../commands/adopt.ts')).adopt,
        Object.fromEntries(given),
      ).call(this)
    })
}
