const characters = /[a-zA-Z0-9]/
const alphabet = 'a1A-_ .:/@#+x0Z,;!?=%&*()[]{}<>|~^$"`bcdefghijklmnopqrstuvwyz'.split('')
const mostSteps = 4000

/**
 * Finds texts that a regular expression accepts, by trying common values and then by growing texts
 * a character at a time. Most expressions people put on a command line have short examples.
 *
 * @param source source of the regular expression
 * @param bounds least and greatest length
 * @returns up to twenty examples; none when nothing was found
 */
export function exampleOf(
  source: string,
  bounds: { readonly min: number; readonly max: number },
): readonly string[] {
  const pattern = new RegExp(source)
  const fits = (value: string): boolean =>
    value.length >= bounds.min &&
    value.length <= bounds.max &&
    value.trim() === value &&
    pattern.test(value)
  const found = new Set([...commonValues(bounds.min), ...shapes(source, bounds)].filter(fits))
  return [...found].slice(0, 20)
}

function commonValues(min: number): readonly string[] {
  const words = ['abc', 'ABC', '123', 'a1', 'A1', 'Abc', 'abc-def', 'abc_def', 'a', 'A', '1']
  const codes = ['AB-1234', 'AB12', 'abc-1', '12:30', '12345', '+491234567', '1.0.0', '#a1b2c3']
  return [...words, ...codes].flatMap((word) => [
    word,
    word.padEnd(min, /\d$/.test(word) ? '1' : (word.at(-1) ?? 'a')),
  ])
}

// Walks the source and writes the plainest text for each of its parts.
function shapes(source: string, bounds: { readonly min: number }): readonly string[] {
  const results = new Set<string>()
  for (let variant = 0; variant < 20; variant += 1) {
    const walker: Walker = { source, at: 0, variant, min: bounds.min, steps: 0 }
    results.add(walkAlternatives(walker))
  }
  return [...results]
}

interface Walker {
  readonly source: string
  readonly variant: number
  readonly min: number
  at: number
  steps: number
}

function walkAlternatives(walker: Walker): string {
  const alternatives = [walkSequence(walker)]
  while (walker.source[walker.at] === '|') {
    walker.at += 1
    alternatives.push(walkSequence(walker))
  }
  return alternatives[walker.variant % alternatives.length] ?? ''
}

function walkSequence(walker: Walker): string {
  let text = ''
  while (walker.at < walker.source.length && walker.steps < mostSteps) {
    walker.steps += 1
    const next = walker.source[walker.at]
    if (next === '|' || next === ')') break
    text += repeat(walker, walkAtom(walker))
  }
  return text
}

function walkAtom(walker: Walker): string {
  const { source } = walker
  const next = source[walker.at] ?? ''
  walker.at += 1
  if (next === '^' || next === '$') return ''
  if (next === '(') return walkGroup(walker)
  if (next === '[') {
    const end = classEnd(source, walker.at)
    const members = source.slice(walker.at - 1, end + 1)
    walker.at = end + 1
    return memberOf(members, walker.variant)
  }
  if (next === '.') return memberOf('.', walker.variant)
  if (next !== '\\') return next
  const escape = source[walker.at] ?? ''
  walker.at += 1
  return /[bB]/.test(escape) ? '' : memberOf(`\\${escape}`, walker.variant)
}

function walkGroup(walker: Walker): string {
  const prefix = /^\?(:|<[A-Za-z]\w*>)/.exec(walker.source.slice(walker.at))?.[0] ?? ''
  walker.at += prefix.length
  const text = walkAlternatives(walker)
  walker.at += 1
  return text
}

function repeat(walker: Walker, text: string): string {
  const quantifier = /^([*+?]|\{\d+(,\d*)?\})\??/.exec(walker.source.slice(walker.at))?.[0]
  if (quantifier === undefined) return text
  walker.at += quantifier.length
  const least = /\d+/.exec(quantifier)?.[0]
  if (least !== undefined) return text.repeat(Math.min(Number(least), 200))
  return quantifier.startsWith('?') ? text : text.repeat(Math.max(1, Math.min(walker.min, 200)))
}

function classEnd(source: string, from: number): number {
  for (let index = from; index < source.length; index += 1) {
    if (source[index] === '\\') index += 1
    else if (source[index] === ']') return index
  }
  return source.length
}

function memberOf(members: string, variant: number): string {
  const pattern = toPattern(members)
  const fitting = alphabet.filter((character) => pattern.test(character))
  const plain = fitting.filter((character) => characters.test(character))
  const choice = plain.length > 0 ? plain : fitting
  return choice[variant % choice.length] ?? ''
}

function toPattern(members: string): RegExp {
  try {
    return new RegExp(`^${members}$`)
  } catch {
    return /^$/
  }
}
