import { type Command } from 'commander'
import { createApiProgram } from '../src/lib/programs/api-program.ts'
import { createProjectProgram } from '../src/lib/programs/create-program.ts'

const programs = { 'create-api': createProjectProgram, api: createApiProgram }

/** The options of a command line that its command does not have, or the command if there is none. */
export function findUnknownOptions(name: keyof typeof programs, line: string): readonly string[] {
  const program = programs[name](() => undefined)
  const words = line.split(/\s+/)
  let command: Command = program
  const flags = new Set<string | undefined>(['--help'])
  const used: string[] = []
  const ended = words.findIndex((word) => /^[#|<>]|^2>|^--$/.test(word))
  for (const word of ended === -1 ? words : words.slice(0, ended)) {
    const child = command.commands.find((one) => one.name() === word)
    const isGroup = command.commands.length > 0 && command.registeredArguments.length === 0
    if (child === undefined && isGroup && !word.startsWith('-')) return [word]
    command = child ?? command
    if (word.startsWith('--')) used.push(word.split('=')[0] ?? '')
  }
  for (const { long } of [...program.options, ...command.options]) flags.add(long)
  return used.filter((flag) => !flags.has(flag.replace(/\)$/, '')))
}
