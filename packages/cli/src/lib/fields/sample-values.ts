import { list, number, text } from '../code/literals.ts'
import { type TypedField } from './field-type.ts'
import { findMatches } from './foreign-pattern.ts'

// Expressions for valid and invalid values.

export function sampleText(field: TypedField, maxLength: number): string {
  const { match, max = maxLength, min = 1, name } = field
  if (match !== undefined) return sampleMatch(match, field.examples ?? [])
  const label = `${name} `
  // Tests create fewer than 10,000 documents: four digits are enough.
  if (label.length + 4 <= max) {
    const sample = `\`${label}\${count}\``
    return min > label.length ? `${sample}.padEnd(${min}, 'x')` : sample
  }
  const width = Math.max(min, 1)
  if (max >= 4) return `String(count).padStart(${width}, '0')`
  return `String(count % ${10 ** max}).padStart(${width}, '0')`
}

function sampleMatch(match: string, examples: readonly string[]): string {
  for (const example of examples) {
    const varied = varyDigits(match, example)
    if (varied !== undefined) return varied
  }
  if (examples.length < 2) return text(examples[0] ?? '')
  return `${list(examples.map(text))}[count % ${examples.length}]`
}

// Finds a place in an example where any digits match, and puts the count there.
function varyDigits(source: string, example: string): string | undefined {
  const places = [4, 3].flatMap((length) =>
    Array.from({ length: Math.max(example.length - length + 1, 0) }, (_, index) => {
      const at = example.length - length - index
      const [before, after] = [example.slice(0, at), example.slice(at + length)]
      const numbers = [1, 26, 907].map((value) => String(value).padStart(length, '0'))
      return { length, before, after, values: numbers.map((digits) => before + digits + after) }
    }),
  )
  const matches = new Set(
    findMatches(
      source,
      places.flatMap(({ values }) => values),
    ),
  )
  const place = places.find(({ values }) => values.every((value) => matches.has(value)))
  if (!place) return undefined
  const count = `String(count).padStart(${place.length}, '0')`
  const [before, after] = [place.before, place.after].map((part) =>
    part === '' ? [] : [text(part)],
  )
  return [...(before ?? []), count, ...(after ?? [])].join(' + ')
}

export function sampleNumber({ max, min }: TypedField, round = (value: number) => value): string {
  if (min === undefined) return max === undefined ? 'count' : `${number(max)} - count`
  if (max === undefined) return min === 0 ? 'count' : `${number(min)} + count`
  const room = Math.floor(max - min)
  if (room < 1) return number(round(min))
  const step = `count % ${number(room + 1)}`
  return min === 0 ? step : `${number(min)} + (${step})`
}

export function tooLong({ match, max }: TypedField, maxLength: number): string {
  return match === undefined ? `'x'.repeat(${number(max ?? maxLength)} + 1)` : '1'
}

export function tooGreat({ max }: TypedField): string | undefined {
  return max === undefined ? undefined : `${number(max)} + 1`
}

export function initialText({ examples = [], match, max = 200, min = 1 }: TypedField): string {
  return text(match === undefined ? 'unknown'.padEnd(min, 'x').slice(0, max) : (examples[0] ?? ''))
}

export function initialNumber(
  { max = Infinity, min = -Infinity }: TypedField,
  round = (value: number) => value,
): number {
  return Math.min(Math.max(0, round(min)), max)
}
