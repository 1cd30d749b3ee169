import { type Command } from 'commander'
import { choiceArgument, toExamples } from '../program-options.ts'
import { type Selected } from '../run.ts'

type Select = (command: Selected) => void

const shells = ['bash', 'zsh', 'fish', 'powershell']

/**
 * Adds the commands that look at a project.
 *
 * @param program the program `api`
 * @param select takes the command that the arguments chose
 */
export function addInspection(program: Command, select: Select): void {
  addRoutes(program, select)
  addDoctor(program, select)
  addEnvironment(program, select)
  addOpenApi(program, select)
  addInfo(program, select)
  addCompletion(program, select)
}

function addRoutes(program: Command, select: Select): void {
  program
    .command('routes')
    .description('list what the application serves')
    .argument('[filter]', 'part of the path')
    .option('--path <part>', 'part of the path, as the argument')
    .option('--method <method>', 'only this method')
    .option('--access <who>', 'only routes of this access: public, user, owner or a role')
    .option('--verify', 'exit 1 when anyone may write, or a resource is not mounted')
    .addHelpText(
      'after',
      toExamples('routes /api/posts --method get', 'routes --access public --json'),
    )
    .action((filter: string | undefined, options: object) => {
      select(async (context) => {
        const { listRoutes } = await import('../commands/list-routes.ts')
        return listRoutes({ ...options, filter }, context)
      })
    })
}

function addDoctor(program: Command, select: Select): void {
  program
    .command('doctor')
    .description('look for what is wrong and say how to cure it')
    .option('--fix', 'put missing markers back')
    .addHelpText('after', toExamples('doctor', 'doctor --fix'))
    .action((options: object) => {
      select(async (context) => {
        const { examineProject } = await import('../commands/examine-project.ts')
        return examineProject(options, context)
      })
    })
}

function addEnvironment(program: Command, select: Select): void {
  program
    .command('env')
    .description('show every variable the service reads, its value and where that comes from')
    .argument('[filter]', 'part of a name')
    .option('--check', 'exit 1 when a value cannot be used or .env.example is not complete')
    .option('--write', 'add what is missing to .env.example')
    .addHelpText('after', toExamples('env', 'env RATE_LIMIT', 'env --check', 'env --write'))
    .action((filter: string | undefined, options: object) => {
      select(async (context) => {
        const { showEnvironment } = await import('../commands/show-environment.ts')
        return showEnvironment({ ...options, filter }, context)
      })
    })
}

function addOpenApi(program: Command, select: Select): void {
  program
    .command('openapi')
    .description('print the OpenAPI document, write it, or compare it with the committed one')
    .option('--check [file]', 'exit 1 when clients of that document would break')
    .option('--write [file]', 'write it (default: openapi.json)')
    .addHelpText(
      'after',
      toExamples('openapi > openapi.json', 'openapi --write', 'openapi --check'),
    )
    .action((options: object) => {
      select(async (context) => {
        const { printOpenApi } = await import('../commands/print-openapi.ts')
        return printOpenApi(options, context)
      })
    })
}

function addInfo(program: Command, select: Select): void {
  program
    .command('info')
    .description('print versions for a bug report')
    .addHelpText('after', toExamples('info', 'info --json'))
    .action(() => {
      select(async (context) => {
        const { printInfo } = await import('../commands/print-info.ts')
        return printInfo(context)
      })
    })
}

function addCompletion(program: Command, select: Select): void {
  program
    .command('completion')
    .description('print a completion script')
    .addArgument(choiceArgument('<shell>', shells))
    .addHelpText('after', toExamples('completion fish | source'))
    .action((shell: string) => {
      select(async () => {
        const { printCompletion } = await import('../commands/print-completion.ts')
        return printCompletion(shell, program)
      })
    })
}
