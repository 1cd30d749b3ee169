import { type Command, InvalidArgumentError } from 'commander'
import { collect, countBetween, formatExamples, toAction } from './options.ts'
import { type Select } from './run.ts'

const recordHelp = `
Clients use the address of --port instead of that of the service, which may be
written in any language. With a command after --, the recording ends with it;
it gets the address as RECORD_URL.

Passwords, tokens and cookies are masked. The rest of the file is data of your users.`

const replayHelp = `
Ids, dates and tokens that the services generate may differ, and replace the
recorded ones in later requests. A secret is the environment variable with the
name of its placeholder: {{password_1}} is REPLAY_PASSWORD_1. Only the given
services are contacted; redirects are not followed.

Exits with 1 if a response is different, or a request has failed.`

export function addRecordingCommands(program: Command, select: Select): void {
  program
    .command('record')
    .description('record the requests to a service and its responses, with secrets masked')
    .argument('[command...]', 'program that sends the requests, after --')
    .requiredOption('--target <url>', 'the service')
    .option('--port <number>', 'port to listen on, on this computer only', toPort, 4000)
    .option('--out <file>', 'file to write', 'recording.ndjson')
    .option('--mask <name>', 'member such as ssn, or path such as user.email; repeatable', collect)
    .option(
      '--max-body <kilobytes>',
      'bodies are recorded up to this size',
      countBetween(0, 9999),
      1024,
    )
    .option('-f, --force', 'replace the file')
    .addHelpText('after', recordHelp)
    .addHelpText(
      'after',
      formatExamples(
        'record --target http://localhost:3000',
        'record --target http://localhost:3000 --mask ssn -- npm run e2e',
      ),
    )
    .action(
      toAction(select, async () => (await import('../commands/record-traffic.ts')).recordTraffic),
    )
  program
    .command('replay')
    .description('send recorded requests again, and compare the responses')
    .argument('<file>', 'a recording')
    .requiredOption('--target <url>', 'the service')
    .option('--against <url>', 'second service, compared with the first instead of the recording')
    .option('--header <name>', 'response header to compare as well; repeatable', collect)
    .option(
      '--ignore <path>',
      'what may differ, such as data.*.views or **.score; repeatable',
      collect,
    )
    .option('--timeout <seconds>', 'for a response', countBetween(1, 600), 30)
    .option('-y, --yes', 'send requests that change data to services on other computers')
    .addHelpText('after', replayHelp)
    .addHelpText(
      'after',
      formatExamples(
        'replay recording.ndjson --target http://localhost:3000',
        'replay recording.ndjson --target http://localhost:3000 --against http://localhost:3001',
      ),
    )
    .action(
      toAction(
        select,
        async () => (await import('../commands/replay-recording.ts')).replayRecording,
      ),
    )
}

function toPort(value: string): number {
  const port = /^\d{1,5}$/.test(value) ? Number(value) : NaN
  if (port <= 65_535) return port
  throw new InvalidArgumentError('Expected a port.')
}
