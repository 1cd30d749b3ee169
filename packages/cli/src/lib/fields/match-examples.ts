import { type Field } from './field.ts'
import { toFieldType } from './field-types.ts'
import { findMatches } from './foreign-pattern.ts'

const plainValues =
  'abc ABC 123 a1 A1 Abc a A 1 ab abc-def abc_def AB-1234 AB12 12:30 12345 +491234567 1.0.0 #a1b2c3'

// Gives every field with `match=` values for the generated tests and migrations.
export async function addExamples(fields: readonly Field[]): Promise<readonly Field[]> {
  return Promise.all(fields.map(addExamplesTo))
}

async function addExamplesTo(field: Field): Promise<Field> {
  const { match, min = 1, type } = field
  if (type.kind === 'shape') {
    return { ...field, type: { ...type, fields: await addExamples(type.fields) } }
  }
  if (match === undefined) return field
  const max = field.max ?? toFieldType(type.kind).maxLength ?? min
  // The bounds of an array limit its length, not that of its values.
  const bounds = field.array ? { min: 1, max: 200 } : { min: Math.max(min, 1), max }
  // The values of a unique field must last for all documents of a test.
  const examples = (await findExamples(match, bounds)).slice(0, field.unique ? 20 : 3)
  return { ...field, examples }
}

// Values that a regular expression accepts; none when it uses lookarounds and no plain
// value matches. The same on every run.
export async function findExamples(
  source: string,
  { max, min }: { readonly min: number; readonly max: number },
): Promise<readonly string[]> {
  const pattern = new RegExp(source, 'u')
  const plain = plainValues.split(' ').flatMap((value) => [value, value.padEnd(min, value.at(-1))])
  const fitting = [...plain, ...(await generate(pattern, max))].filter(
    (value) => value.length >= min && value.length <= max && value.trim() === value,
  )
  return findMatches(source, [...new Set(fitting)]) ?? []
}

async function generate(pattern: RegExp, maxLength: number): Promise<readonly string[]> {
  const { sample, stringMatching } = await import('fast-check')
  try {
    return sample(stringMatching(pattern, { maxLength }), { numRuns: 100, seed: 1 })
  } catch {
    // It does not support every expression.
    return []
  }
}
