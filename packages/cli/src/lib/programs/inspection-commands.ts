import { type Command } from 'commander'
import { choiceArgument, collect, formatExamples, toAction } from './options.ts'
import { type Select } from './run.ts'

const shells = ['bash', 'zsh', 'fish', 'powershell']

export function addInspectionCommands(program: Command, select: Select): void {
  addRoutes(program, select)
  addExplain(program, select)
  addRequest(program, select)
  addDoctor(program, select)
  addEnvironment(program, select)
  addOpenApi(program, select)
  addMcp(program, select)
  addInfo(program, select)
}

function addRoutes(program: Command, select: Select): void {
  program
    .command('routes')
    .description('list the routes of the application')
    .argument('[filter]', 'part of the path')
    .option('--path <part>', 'the same as the argument')
    .option('--method <method>', 'only routes with this method')
    .option(
      '--access <who>',
      'only routes with this access: public, optional, user, owner or a role',
    )
    .option(
      '--verify',
      'exit with 1 if anyone may write (see publicWrites) or a resource is not mounted',
    )
    .addHelpText(
      'after',
      formatExamples('routes /api/posts --method get', 'routes --access public --json'),
    )
    .action(toAction(select, async () => (await import('../commands/list-routes.ts')).listRoutes))
}

function addExplain(program: Command, select: Select): void {
  program
    .command('explain')
    .description('explain an error code, an option or an environment variable')
    .argument('<name>', 'code, option or variable')
    .addHelpText(
      'after',
      formatExamples('explain validation_failed', 'explain rateLimit.limit', 'explain PORT --json'),
    )
    .action(toAction(select, async () => (await import('../commands/explain.ts')).explain))
}

function addRequest(program: Command, select: Select): void {
  program
    .command('request')
    .description('send the application a request without starting it')
    .argument('<method>', 'GET, POST, PUT, PATCH, DELETE, HEAD or OPTIONS')
    .argument('<path>', 'path with its query, such as /api/posts?limit=5')
    .option('--as <email>', 'send the request as this user')
    .option('--data <json>', 'body in JSON; - reads it from standard input')
    .option('--header <field>', 'header such as "If-Match: *"; repeatable', collect)
    .option('--memory', 'use an empty database in memory, where --as creates the user')
    .option('--field <name=value>', 'custom field of that user; repeatable', collect)
    .addHelpText(
      'after',
      formatExamples(
        'request GET /api/posts --as ada@example.com',
        `request POST /api/posts --memory --data '{"title":"Hello"}' --json`,
      ),
    )
    .action(toAction(select, async () => (await import('../commands/send-request.ts')).sendRequest))
}

function addDoctor(program: Command, select: Select): void {
  program
    .command('doctor')
    .description('find problems in the project and suggest fixes')
    .option('--fix', 'restore missing markers in the routes file')
    .addHelpText('after', formatExamples('doctor', 'doctor --fix'))
    .action(
      toAction(select, async () => (await import('../commands/examine-project.ts')).examineProject),
    )
}

function addEnvironment(program: Command, select: Select): void {
  program
    .command('env')
    .description('list every environment variable with its value and its source')
    .argument('[filter]', 'part of a name')
    .option('--check', 'exit with 1 if a value is invalid or .env.example is incomplete')
    .option('--write', 'add missing variables to .env.example')
    .addHelpText('after', formatExamples('env', 'env RATE_LIMIT', 'env --check', 'env --write'))
    .action(
      toAction(
        select,
        async () => (await import('../commands/show-environment.ts')).showEnvironment,
      ),
    )
}

function addOpenApi(program: Command, select: Select): void {
  program
    .command('openapi')
    .description('print or write the OpenAPI document, or compare it with the committed one')
    .option(
      '--check [file]',
      'exit with 1 if clients of that document would break (default: openapi.json)',
    )
    .option('--write [file]', 'write it to a file (default: openapi.json)')
    .addHelpText(
      'after',
      formatExamples('openapi > openapi.json', 'openapi --write', 'openapi --check'),
    )
    .action(
      toAction(select, async () => (await import('../commands/print-openapi.ts')).printOpenApi),
    )
}

const mcpHelp = `
API_TOKEN contains the access token or the API key of the caller, unless --as names one.`

function addMcp(program: Command, select: Select): void {
  program
    .command('mcp')
    .description(
      'serve the tools of the application, and tools for developers, over standard input and output',
    )
    .option('--as <email>', 'call the tools of the application as this user')
    .option(
      '--header <field>',
      'header of each call, such as "X-Organization: <id>"; repeatable',
      collect,
    )
    .option('--write', 'let the tools for developers write files and send requests other than GET')
    .addHelpText('after', mcpHelp)
    .addHelpText('after', formatExamples('mcp --as ada@example.com', 'mcp --write'))
    .action(toAction(select, async () => (await import('../commands/serve-tools.ts')).serveTools))
}

function addInfo(program: Command, select: Select): void {
  program
    .command('info')
    .description('print versions for a bug report')
    .addHelpText('after', formatExamples('info', 'info --json'))
    .action(toAction(select, async () => (await import('../commands/print-info.ts')).printInfo))
}

export function addCompletion(program: Command, select: Select): void {
  program
    .command('completion')
    .description('print a completion script for a shell')
    .addArgument(choiceArgument('<shell>', shells))
    .addHelpText('after', formatExamples('completion fish | source'))
    .action((shell: string) => {
      select(async () => {
        const { printCompletion } = await import('../commands/print-completion.ts')
        return printCompletion(shell, program)
      })
    })
}
