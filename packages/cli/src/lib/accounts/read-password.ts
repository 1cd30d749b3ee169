import { CliError } from '../errors.ts'
import { type CommandContext } from '../terminal/command-context.ts'
import { askPassword } from '../terminal/prompts.ts'

/**
 * Takes a password from standard input or from a person, never from the arguments: those are seen
 * by every process of the machine and kept by the shell.
 *
 * @param fromStdin whether it comes on standard input, up to its end
 * @param context the world
 * @returns the password
 * @throws CliError `USAGE` when there is neither
 */
export async function readPassword(fromStdin: boolean, context: CommandContext): Promise<string> {
  if (fromStdin) return readAll(context)
  if (context.interactive) return askTwice()
  throw new CliError('USAGE', 'no terminal to ask for the password', {
    hint: 'pass it on standard input: --password-stdin < file',
  })
}

async function readAll({ terminal }: CommandContext): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of terminal.stdin) chunks.push(Buffer.from(chunk))
  // The newline is echo's, not the password's.
  const password = Buffer.concat(chunks)
    .toString('utf8')
    .replace(/\r?\n$/, '')
  if (password !== '') return password
  throw new CliError('USAGE', 'the password on standard input is empty')
}

async function askTwice(): Promise<string> {
  const password = await askPassword('Password')
  if ((await askPassword('Once more')) === password) return password
  throw new CliError('USAGE', 'the two passwords differ; nothing was done')
}
