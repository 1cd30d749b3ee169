import { didYouMean } from '../errors/suggest-name.ts'
import { CliError } from '../errors/cli-error.ts'
import { type Field } from '../fields/field.ts'
import { isReservedWord } from '../names/reserved.ts'
import { fieldKinds, toFieldType } from '../fields/field-types.ts'

const kinds: readonly string[] = fieldKinds.filter((kind) => toFieldType(kind).key !== undefined)

// Parameters and constants of the generated service.
const takenNames = ['input', 'match', 'query', 'changes', 'found']

export function resolveKey(fields: readonly Field[], name: string | undefined): Field | undefined {
  if (name === undefined) return undefined
  const field = fields.find((one) => one.name === name)
  if (field === undefined) {
    const names = fields.map((one) => one.name)
    throw new CliError('USAGE', `--key ${name}: the resource has no such field`, {
      hint: didYouMean(name, names) ?? `give it one: ${name}:string:unique`,
    })
  }
  const reason = findConflict(name)
  if (reason !== undefined) {
    throw new CliError('USAGE', `--key ${name}: ${reason}`, { hint: 'give the field another name' })
  }
  if (field.unique && field.required && kinds.includes(field.type.kind)) return field
  throw new CliError('USAGE', `--key ${name}: the field cannot identify a document`, {
    hint: `it must be required, unique and one of ${kinds.join(', ')}: ${name}:string:unique`,
  })
}

function findConflict(name: string): string | undefined {
  if (takenNames.includes(name)) return `the generated code uses "${name}" itself`
  return isReservedWord(name) ? `"${name}" is a reserved word of JavaScript` : undefined
}
