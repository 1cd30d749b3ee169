import { CliError } from '../errors/cli-error.ts'
import { type CommandContext } from './command-context.ts'

/** What cannot be one JSON document, and what it prints instead. */
export const streams = {
  'api dev': 'the output of the service',
  'api mcp': 'the messages of the protocol',
  'api work': 'the output of the service',
  'create-api --start': 'the output of the service',
} as const

export function rejectJson({ flags }: CommandContext, command: keyof typeof streams): void {
  if (!flags.json) return
  throw new CliError(
    'USAGE',
    `${command} prints ${streams[command]} and cannot be combined with --json`,
  )
}
