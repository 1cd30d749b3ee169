import { CliError } from '../errors.ts'
import { type Field } from '../fields/field.ts'
import { suggest } from '../suggest.ts'

const kinds = ['string', 'uuid', 'int']

// Parameters and constants of the generated service.
const takenNames = ['input', 'match', 'query', 'changes', 'found']

/**
 * Finds the field that stands for a document in its path.
 *
 * @param fields the fields of the resource
 * @param name the name of one of them, as `--key` takes it; `undefined` for the id
 * @returns the field, or nothing for the id
 * @throws CliError `USAGE` when there is none, or it cannot tell documents apart
 */
export function resolveKey(fields: readonly Field[], name: string | undefined): Field | undefined {
  if (name === undefined) return undefined
  const field = fields.find((one) => one.name === name)
  if (field === undefined) {
    const near = suggest(
      name,
      fields.map((one) => one.name),
    )
    throw new CliError('USAGE', `--key ${name}: the resource has no such field`, {
      hint: near === undefined ? `give it one: ${name}:string:unique` : `did you mean "${near}"?`,
    })
  }
  if (takenNames.includes(name)) {
    throw new CliError('USAGE', `--key ${name}: the generated code uses "${name}" itself`, {
      hint: 'give the field another name',
    })
  }
  if (field.unique && field.required && kinds.includes(field.type.kind)) return field
  throw new CliError('USAGE', `--key ${name}: the field cannot stand for a document`, {
    hint: `it must be required, unique and one of ${kinds.join(', ')}: ${name}:string:unique`,
  })
}
