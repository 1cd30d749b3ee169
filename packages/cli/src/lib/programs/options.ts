import { closestName } from '@create-api/core/internal/closest-name'
import { Argument, type Command, InvalidArgumentError, Option } from 'commander'
import { version } from '../package/own-package.ts'

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
    .option('--no-color', 'disable colours (also NO_COLOR)')
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
    const words = value.split(',').filter((word) => word !== '')
    if (words.length === 0) throw new InvalidArgumentError(`Choose from ${choices.join(', ')}.`)
    return [...new Set(words.map((word) => requireChoice(word, choices)))]
  })
}

// Collects the values of an option that may be repeated.
export function collect(value: string, values: readonly string[] = []): readonly string[] {
  return [...values, value]
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
