import { didYouMean } from '../errors/suggest-name.ts'
import { CliError } from '../errors/cli-error.ts'
import { FieldProblem, scanField } from '../fields/field-argument.ts'
import { type KnownResource } from '../resource/find-record.ts'
import { apiCommand } from '../terminal/api-command.ts'
import { quoteForShell } from '../terminal/quote-for-shell.ts'

export function addToFields(resource: KnownResource, args: readonly string[]): readonly string[] {
  const { plural } = resource.names
  const { fields } = resource.record
  const names = fields.map(toName)
  const problems = args
    .filter((argument) => names.includes(toName(argument)))
    .map((argument) => toTakenProblem(plural, argument))
  const [first, ...others] = problems
  if (first === undefined) return [...fields, ...args]
  const details = others.flatMap((problem) => [`error: ${problem.message}`, ...problem.toLines()])
  throw new CliError('INVALID_FIELD', first.message, {
    details: [...first.toLines(), ...details],
    hint: `to change it: remove it first, ${apiCommand} remove field ${plural} ${quoteForShell(first.context.token.text)}`,
  })
}

export function removeFromFields(
  resource: KnownResource,
  names: readonly string[],
): readonly string[] {
  const { plural } = resource.names
  const { fields } = resource.record
  for (const name of names) requireKnown(plural, fields.map(toName), name)
  const left = fields.filter((argument) => !names.some((name) => belongsTo(argument, name)))
  if (left.length > 0) return left
  throw new CliError('USAGE', `${plural} would have no field left`, {
    hint: `to remove all of it: ${apiCommand} destroy resource ${plural}`,
  })
}

function toName(argument: string): string {
  return scanField(argument)[0]?.text ?? ''
}

function belongsTo(argument: string, name: string): boolean {
  const own = toName(argument)
  return own === name || own.startsWith(`${name}.`)
}

function toTakenProblem(plural: string, argument: string): FieldProblem {
  const name = toName(argument)
  const token = { text: name, start: 0 }
  return new FieldProblem(`${plural} has a field "${name}" already`, { argument, token })
}

function requireKnown(plural: string, known: readonly string[], name: string): void {
  if (known.some((argument) => belongsTo(argument, name))) return
  const near = didYouMean(name, known)
  const all = `its fields are ${known.join(', ')}`
  throw new CliError('UNKNOWN_FIELD', `${plural} has no field "${name}"`, {
    hint: near === undefined ? all : `${near} ${all}`,
  })
}
