import { closestName } from '@create-api/core/internal/closest-name'
import { Argument, type Command, InvalidArgumentError, Option } from 'commander'
import { version } from '../package/own-package.ts'
import { type CommandContext } from '../terminal/command-context.ts'
import { type Outcome } from '../terminal/reporter.ts'
import { type Select } from './run.ts'

// The options that every command accepts.
export function addGlobalOptions(program: Command): Command {
  return program
    .configureHelp({
      subcommandTerm: (command) => [command.name(), ...command.aliases()].join(', '),
      commandDescription: (command) => toSentence(command.description()),
    })
    .option('-C, --cwd <dir>', 'run in this folder')
    .option('--json', 'print one JSON document to stdout')
    .option('-q, --quiet', 'print no notes')
    .option('--verbose', 'print more details')
    .option('--no-color', 'disable colors (also NO_COLOR)')
    .option('--no-input', 'never prompt')
    .version(version, '-v, --version', 'print the version')
    .helpOption('-h, --help', 'print this help')
}

// A phrase in a list of commands is a sentence above its own help.
function toSentence(phrase: string): string {
  return `${phrase.charAt(0).toUpperCase()}${phrase.slice(1)}.`
}

// An option whose value is one of a few words; an error names the nearest one.
export function choiceOption(
  flags: string,
  description: string,
  choices: readonly string[],
): Option {
  return new Option(flags, description).argParser((value: string) => requireChoice(value, choices))
}

export function choiceArgument(name: string, choices: readonly string[]): Argument {
  const description = choices.join(', ').replace(/, (\S+)$/, ' or $1')
  return new Argument(name, description).argParser((value: string) => requireChoice(value, choices))
}

// An option whose value is a comma-separated list of a few words.
export function listOption(flags: string, description: string, choices: readonly string[]): Option {
  return new Option(flags, description).argParser((value: string) => {
    const words = value
      .split(',')
      .map((word) => word.trim())
      .filter((word) => word !== '')
    if (words.length === 0) throw new InvalidArgumentError(`Choose from ${choices.join(', ')}.`)
    return [...new Set(words.map((word) => requireChoice(word, choices)))]
  })
}

// Reads the value of an option that is a whole number.
export function countBetween(min: number, max: number): (value: string) => number {
  return (value) => {
    const count = /^\d{1,4}$/.test(value) ? Number(value) : NaN
    if (count >= min && count <= max) return count
    throw new InvalidArgumentError(`Expected a number from ${min} to ${max}.`)
  }
}

// Collects the values of an option that may be repeated.
export function collect(value: string, values: readonly string[] = []): readonly string[] {
  return [...values, value]
}

// Selects a function that is loaded when it runs. It receives the arguments and options of the command line as one object.
export function toAction<Options>(
  select: Select,
  load: () => Promise<(options: Options, context: CommandContext) => Promise<Outcome>>,
  more: Partial<Options> = {},
): (this: Command) => void {
  return function () {
    const names = this.registeredArguments.map((argument) => argument.name())
    const given = Object.fromEntries(names.map((name, index) => [name, this.processedArgs[index]]))
    const options = { ...this.opts<Options & object>(), ...given, ...more }
    select(async (context) => (await load())(options, context))
  }
}

export function formatExamples(...commands: readonly string[]): string {
  return ['', 'Examples:', ...commands.map((command) => `  npx api ${command}`)].join('\n')
}

function requireChoice(value: string, choices: readonly string[]): string {
  if (choices.includes(value)) return value
  const near = closestName(value, choices)
  const hint = near === undefined ? '' : ` (Did you mean ${near}?)`
  throw new InvalidArgumentError(`Allowed choices are ${choices.join(', ')}.${hint}`)
}
