import { Argument, type Command } from 'commander'
import { type Selected } from '../run.ts'

const shells = ['bash', 'zsh', 'fish', 'powershell']

/**
 * Adds the commands that look and do not write, but `doctor --fix`.
 *
 * @param program the program `api`
 * @param select takes the command that the arguments chose
 */
export function addInspection(program: Command, select: (command: Selected) => void): void {
  program
    .command('routes')
    .description('list what the application serves')
    .argument('[filter]', 'part of the path')
    .option('--method <method>', 'only this method')
    .action((filter: string | undefined, options: object) => {
      select(async (context) => {
        const { listRoutes } = await import('../commands/list-routes.ts')
        return listRoutes({ ...options, filter }, context)
      })
    })
  program
    .command('doctor')
    .description('look for what is wrong and say how to cure it')
    .option('--fix', 'put missing markers back')
    .action((options: object) => {
      select(async (context) => {
        const { examineProject } = await import('../commands/examine-project.ts')
        return examineProject(options, context)
      })
    })
  program
    .command('openapi')
    .description('print the OpenAPI document')
    .action(() => {
      select(async (context) => {
        const { printOpenApi } = await import('../commands/print-openapi.ts')
        return printOpenApi(context)
      })
    })
  program
    .command('info')
    .description('print versions for a bug report')
    .action(() => {
      select(async (context) => {
        const { printInfo } = await import('../commands/print-info.ts')
        return printInfo(context)
      })
    })
  addCompletion(program, select)
}

function addCompletion(program: Command, select: (command: Selected) => void): void {
  program
    .command('completion')
    .description('print a completion script')
    .addArgument(new Argument('<shell>', shells.join(', ')).choices(shells))
    .action((shell: string) => {
      select(async () => {
        const { printCompletion } = await import('../commands/print-completion.ts')
        return printCompletion(shell, program)
      })
    })
}
