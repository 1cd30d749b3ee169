import { type Command } from 'commander'
import { toAction } from './options.ts'
import { type Select } from './run.ts'

// Inside a project, the application is the source by default.
export function addClient(program: Command, select: Select, source: '<source>' | '[source]'): void {
  program
    .command('client')
    .description('write a typed client of an API from its OpenAPI document')
    .argument(source, 'URL or file of the document')
    .option('--out <file>', 'file to write (default: src/client.ts)')
    .option('--check', 'exit with 1 if the file is older than the document')
    .addHelpText('after', formatClientExamples(program.name(), source === '[source]'))
    .action(
      toAction(select, async () => (await import('../commands/generate-client.ts')).generateClient),
    )
}

function formatClientExamples(program: string, inProject: boolean): string {
  const examples = inProject
    ? ['client', 'client --out ../web/src/client.ts', 'client --check']
    : [
        'client https://api.example.com/openapi.json',
        'client openapi.json --out src/api.ts --check',
      ]
  return ['', 'Examples:', ...examples.map((example) => `  npx ${program} ${example}`)].join('\n')
}
