import { Command } from 'commander'
import { packageManagers } from '../create/package-manager.ts'
import { projectTemplates } from '../create/project-template.ts'
import { addGlobalOptions, choiceOption } from '../program-options.ts'
import { type Selected } from '../run.ts'
import { packageName } from '../version.ts'

const examples = `
Examples:
  npx ${packageName} my-service --yes
  npx ${packageName} my-service --yes --pm pnpm --no-git
  npx ${packageName} blog --yes --resource "posts title:string body:text" --start`

/**
 * Builds the program that makes projects: names, arguments, flags and help. It does no work itself.
 *
 * @param select takes the command that the arguments chose
 * @returns the program
 */
export function createProjectProgram(select: (command: Selected) => void): Command {
  return addGlobalOptions(new Command(packageName))
    .description('Make a JSON HTTP API with Express and MongoDB that runs at once.')
    .usage('[dir] [options]')
    .argument('[dir]', 'folder to make; "." when it is empty')
    .option('-y, --yes', 'ask nothing, take the defaults')
    .option('--name <name>', 'package name (default: from dir)')
    .addOption(
      choiceOption('--template <name>', 'minimal: no files for containers, CI and agents', [
        ...projectTemplates,
      ]),
    )
    .addOption(
      choiceOption('--pm <manager>', 'package manager (default: the one that started us)', [
        ...packageManagers,
      ]),
    )
    .option('--no-install', 'do not install dependencies')
    .option('--no-git', 'no repository and no first commit')
    .option('--resource <spec>', 'also generate a resource; may be repeated', collect)
    .option('--start', 'run the service in development afterwards')
    .option('--force', 'write into a folder that is not empty')
    .option('--dry-run', 'print the plan, write nothing')
    .addHelpText('after', examples)
    .action((dir: string | undefined, options: object) => {
      select(async (context) => {
        const { createProject } = await import('../commands/create-project.ts')
        return createProject({ ...options, dir }, context)
      })
    })
}

function collect(value: string, before: readonly string[] = []): readonly string[] {
  return [...before, value]
}
