import { statSync } from 'node:fs'
import { resolve } from 'node:path'
import { type Command, CommanderError } from 'commander'
import { CliError, toCliError } from '../errors/cli-error.ts'
import { type CommandContext } from '../terminal/command-context.ts'
import { createReporter, type Outcome, type Reporter } from '../terminal/reporter.ts'
import { type GlobalFlags, isInteractive, type Terminal } from '../terminal/terminal.ts'
import { packageName } from '../package/own-package.ts'

/** A command selected by the arguments, ready to run. */
export type Selected = (context: CommandContext) => Promise<Outcome>

export type Select = (command: Selected) => void

/** Creates a program whose actions pass the selected command on instead of running it. */
export type ProgramFactory = (select: Select) => Command

/**
 * Runs a command line and reports its result or error. It never throws.
 *
 * @param createProgram - `createApiProgram` or `createProjectProgram`
 * @param argv - the arguments, without those of Node.js and the script
 * @param terminal - streams, folder and environment to use
 * @returns the exit code
 */
export async function run(
  createProgram: ProgramFactory,
  argv: readonly string[],
  terminal: Terminal,
): Promise<number> {
  const before = argv.includes('--') ? argv.slice(0, argv.indexOf('--')) : argv
  let flags: GlobalFlags = {
    json: before.includes('--json'),
    color: !before.includes('--no-color'),
  }
  let reporter = createReporter(terminal, flags)
  try {
    let selected: Selected | undefined
    const program = createProgram((command) => {
      selected = command
    })
    const help = parse(program, argv)
    if (help !== undefined) {
      terminal.stdout.write(help)
      return 0
    }
    flags = program.opts<GlobalFlags>()
    reporter = createReporter(terminal, flags)
    if (selected === undefined) throw new CliError('USAGE', 'no command', { hint: 'try --help' })
    const outcome = await selected(toContext(terminal, flags, reporter))
    reporter.report(outcome)
    return outcome.exit ?? 0
  } catch (error) {
    const failure = toCliError(error)
    reporter.fail(failure)
    return failure.exit
  }
}

function toContext(terminal: Terminal, flags: GlobalFlags, reporter: Reporter): CommandContext {
  const cwd = resolve(terminal.cwd, flags.cwd ?? '.')
  if (statSync(cwd, { throwIfNoEntry: false })?.isDirectory() !== true) {
    throw new CliError('USAGE', `--cwd ${flags.cwd ?? ''} is not a folder`)
  }
  const interactive = isInteractive(terminal, flags)
  const { progress, report } = reporter
  return { terminal, flags, cwd, interactive, progress, report }
}

// Returns the text of --help or --version, or nothing when a command was selected.
function parse(program: Command, argv: readonly string[]): string | undefined {
  const output: string[] = []
  configure(program, (text) => output.push(text))
  try {
    program.parse(argv, { from: 'user' })
    return undefined
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error
    if (error.exitCode === 0) return output.join('')
    throw toUsageError(error, formatHelpCommand(program, argv))
  }
}

function configure(command: Command, write: (text: string) => void): void {
  command.exitOverride().configureOutput({ writeOut: write, writeErr: () => undefined })
  for (const child of command.commands) configure(child, write)
}

// The --help command line for as many subcommands as were understood, ready to paste.
function formatHelpCommand(program: Command, argv: readonly string[]): string {
  const words = [program.name() === packageName ? 'npx' : 'npx --no-install', program.name()]
  let command = program
  for (const word of argv.filter((argument) => !argument.startsWith('-'))) {
    const next = command.commands.find((child) => [child.name(), ...child.aliases()].includes(word))
    if (next === undefined) break
    words.push(next.name())
    command = next
  }
  return [...words, '--help'].join(' ')
}

function toUsageError(error: CommanderError, help: string): CliError {
  const [first = '', suggestion] = error.message.replace(/^error: /, '').split('\n')
  const text = suggestion === undefined ? first : `${first} ${suggestion}`
  const message = error.code === 'commander.help' ? 'a command is missing' : text
  return new CliError('USAGE', message, { hint: `see: ${help}`, cause: error })
}
