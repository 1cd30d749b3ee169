import { CliError } from '../errors/cli-error.ts'
import { type Field } from './field.ts'
import { FieldProblem } from './field-argument.ts'
import { gatherObjects } from './gather-objects.ts'
import { parseField } from './parse-field.ts'

export const defaultFields: readonly string[] = ['title:string']

// Throws a CliError that shows every wrong argument at once.
export function parseFields(args: readonly string[]): readonly Field[] {
  const fields: Field[] = []
  const problems: FieldProblem[] = []
  for (const argument of args.length === 0 ? defaultFields : args) {
    const result = attempt(() => {
      const field = parseField(argument)
      // Checked with each argument, so that the message is about this one.
      gatherObjects([...fields, field])
      return field
    })
    if (result instanceof FieldProblem) problems.push(result)
    else fields.push(result)
  }
  const [first, ...others] = problems
  if (first === undefined) return gatherObjects(fields)
  const details = others.flatMap((problem) => [`error: ${problem.message}`, ...problem.toLines()])
  throw new CliError('INVALID_FIELD', first.message, { details: [...first.toLines(), ...details] })
}

function attempt(parse: () => Field): Field | FieldProblem {
  try {
    return parse()
  } catch (error) {
    if (error instanceof FieldProblem) return error
    throw error
  }
}
