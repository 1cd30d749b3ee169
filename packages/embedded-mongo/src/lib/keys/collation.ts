import { CommandError } from '../errors/command-error.ts'
import { type Doc } from '../bson/document.ts'

export interface Collation {
  readonly spec: Doc
  // Equal for all collations that compare alike.
  readonly id: string
  // Two texts are equal under the collation when their forms are.
  equalityForm(text: string): string
  compare(a: string, b: string): number
}

// Requests binary comparison, whatever the collection's own collation.
export const simple: Doc = { locale: 'simple' }

const strengths: readonly Intl.CollatorOptions['sensitivity'][] = ['base', 'accent', 'variant']

const known = new Set([
  'locale',
  'caseLevel',
  'caseFirst',
  'strength',
  'numericOrdering',
  'alternate',
  'maxVariable',
  'normalization',
  'backwards',
  'version',
])

const cache = new Map<string, Collation>()

// JavaScript has no collation sort keys, so equality is an approximation: decomposed text without
// marks (strength 1) and in lower case (strengths 1 and 2). Undefined for the simple collation.
export function createCollation(spec: Doc | undefined): Collation | undefined {
  if (spec === undefined || Object.keys(spec).length === 0) return undefined
  const id = JSON.stringify(spec)
  const found = cache.get(id)
  if (found) return found
  check(spec)
  if (spec['locale'] === 'simple') return undefined
  const collation = build(complete(spec))
  if (cache.size < 100) cache.set(id, collation)
  return collation
}

function check(spec: Doc): void {
  for (const option of Object.keys(spec)) {
    if (!known.has(option)) {
      throw new CommandError(
        'FailedToParse',
        `BSON field 'collation.${option}' is an unknown field.`,
      )
    }
  }
  const { locale } = spec
  if (typeof locale !== 'string') {
    throw new CommandError(
      'FailedToParse',
      "BSON field 'collation.locale' is missing but a required field",
    )
  }
  if (locale !== 'simple' && !isLocale(locale)) {
    throw new CommandError('BadValue', `Field 'locale' is invalid in: ${JSON.stringify(spec)}`)
  }
}

function isLocale(locale: string): boolean {
  try {
    return Intl.Collator.supportedLocalesOf(tag(locale)).length > 0
  } catch {
    return false
  }
}

function tag(locale: string): string {
  return locale.split('@', 1).join('').replaceAll('_', '-')
}

function complete(spec: Doc): Doc {
  return {
    locale: spec['locale'],
    caseLevel: spec['caseLevel'] ?? false,
    caseFirst: spec['caseFirst'] ?? 'off',
    strength: Number(spec['strength'] ?? 3),
    numericOrdering: spec['numericOrdering'] ?? false,
    alternate: spec['alternate'] ?? 'non-ignorable',
    maxVariable: spec['maxVariable'] ?? 'punct',
    normalization: spec['normalization'] ?? false,
    backwards: spec['backwards'] ?? false,
    version: '57.1',
  }
}

function build(spec: Doc): Collation {
  const strength = Number(spec['strength'])
  const caseFirst = spec['caseFirst'] === 'off' ? 'false' : spec['caseFirst']
  const numeric = spec['numericOrdering'] === true
  const collator = new Intl.Collator(tag(String(spec['locale'])), {
    sensitivity: strength === 1 && spec['caseLevel'] === true ? 'case' : strengths[strength - 1],
    caseFirst: caseFirst === 'upper' || caseFirst === 'lower' ? caseFirst : 'false',
    numeric,
    ignorePunctuation: spec['alternate'] === 'shifted',
  })
  const compare = collator.compare.bind(collator)
  return {
    spec,
    id: JSON.stringify(spec),
    compare,
    equalityForm: equality(spec, strength, numeric),
  }
}

function equality(spec: Doc, strength: number, numeric: boolean): (text: string) => string {
  return (text) => {
    let form = text.normalize('NFD')
    if (strength === 1) form = form.replace(/\p{M}/gu, '')
    if (strength <= 2 && spec['caseLevel'] !== true) form = form.toLowerCase()
    if (spec['alternate'] === 'shifted' && strength <= 3) form = form.replace(/[\p{P}\s]/gu, '')
    return numeric ? form.replace(/0+(?=\d)/g, '') : form
  }
}
