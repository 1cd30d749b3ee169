import { Command } from 'commander'
import { packageManagers } from '../create/package-manager.ts'
import { projectTemplates } from '../create/project-plan.ts'
import { addGlobalOptions, choiceOption, collect, toAction } from './options.ts'
import { type Select } from './run.ts'
import { addAdopt } from './adopt-command.ts'
import { addClient } from './client-command.ts'
import { packageName } from '../package/own-package.ts'

const examples = `
Examples:
  npx ${packageName} my-service --yes
  npx ${packageName} my-service --yes --pm pnpm --no-git
  npx ${packageName} blog --yes --resource "posts title:string body:text" --start`

/**
 * Creates the `create-api` program: its arguments, options and help. Pass it to `run()`.
 *
 * @param select - receives the command that the arguments select
 * @returns the commander program
 */
export function createProjectProgram(select: Select): Command {
  const program = addGlobalOptions(new Command(packageName))
    .description('Create a JSON HTTP API with Express and MongoDB, ready to run')
    .usage('[dir] [options]')
    .argument('[dir]', 'folder to create; "." for the current, empty folder')
    .option('-y, --yes', 'accept the defaults without prompting')
    .option('--name <name>', 'package name (default: from dir)')
    .addOption(
      choiceOption(
        '--template <name>',
        'default, or minimal: without files for containers, CI and agents',
        [...projectTemplates],
      ),
    )
    .addOption(
      choiceOption(
        '--pm <manager>',
        'npm, pnpm, yarn or bun (default: the one that runs this command)',
        [...packageManagers],
      ),
    )
    .option('--no-install', 'do not install dependencies')
    .option('--no-git', 'do not create a git repository with a first commit')
    .option('--resource <spec>', 'generate a resource as well; repeatable', collect)
    .option('--client', 'write a typed client of the API as well, and a test that uses it')
    .option('--start', 'run the service in development mode afterwards')
    .option('--force', 'write into a folder that is not empty')
    .option('--dry-run', 'print the plan without writing anything')
    .addHelpText('after', examples)
    .action(
      toAction(select, async () => (await import('../commands/create-project.ts')).createProject),
    )
  addAdopt(program, select)
  addClient(program, select, '<source>')
  return program
}
