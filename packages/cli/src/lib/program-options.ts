import { Argument, type Command, InvalidArgumentError, Option } from 'commander'
import { suggest } from './suggest.ts'
import { version } from './version.ts'

/**
 * Adds the flags that every command takes.
 *
 * @param program the program
 * @returns the same program
 */
export function addGlobalOptions(program: Command): Command {
  return program
    .configureHelp({
      subcommandTerm: (command) => [command.name(), ...command.aliases()].join(', '),
    })
    .option('-C, --cwd <dir>', 'work in this folder')
    .option('--json', 'print one JSON document on stdout')
    .option('-q, --quiet', 'print no notes')
    .option('--verbose', 'print more')
    .option('--no-color', 'print no colours (also NO_COLOR)')
    .option('--no-input', 'ask no questions')
    .version(version, '-v, --version', 'print the version')
    .helpOption('-h, --help', 'print this help')
}

/**
 * Makes an option that takes one of a few words.
 *
 * @param flags the option's flags
 * @param description what it is for
 * @param choices the words
 * @returns the option; another word is an error that names the nearest
 */
export function choiceOption(
  flags: string,
  description: string,
  choices: readonly string[],
): Option {
  return new Option(flags, description).argParser((value: string) => {
    if (choices.includes(value)) return value
    throw new InvalidArgumentError(choiceMessage(value, choices))
  })
}

/**
 * Makes an argument that is one of a few words.
 *
 * @param name the argument, as usage shows it
 * @param choices the words
 * @returns the argument; another word is an error that names the nearest
 */
export function choiceArgument(name: string, choices: readonly string[]): Argument {
  return new Argument(name, choices.join(', ')).argParser((value: string) => {
    if (choices.includes(value)) return value
    throw new InvalidArgumentError(choiceMessage(value, choices))
  })
}

/**
 * Writes the examples of a command for its help.
 *
 * @param commands command lines without `npx api`
 * @returns the text
 */
export function toExamples(...commands: readonly string[]): string {
  return ['', 'Examples:', ...commands.map((command) => `  npx api ${command}`)].join('\n')
}

/**
 * Makes an option that takes a comma list of a few words.
 *
 * @param flags the option's flags
 * @param description what it is for
 * @param choices the words
 * @returns the option; its value is a list
 */
export function listOption(flags: string, description: string, choices: readonly string[]): Option {
  return new Option(flags, description).argParser((value: string) => {
    const words = value.split(',').filter((word) => word !== '')
    for (const word of words) {
      if (!choices.includes(word)) throw new InvalidArgumentError(choiceMessage(word, choices))
    }
    if (words.length === 0) throw new InvalidArgumentError(`Choose from ${choices.join(', ')}.`)
    return [...new Set(words)]
  })
}

function choiceMessage(value: string, choices: readonly string[]): string {
  const near = suggest(value, choices)
  const hint = near === undefined ? '' : ` (Did you mean ${near}?)`
  return `Allowed choices are ${choices.join(', ')}.${hint}`
}
