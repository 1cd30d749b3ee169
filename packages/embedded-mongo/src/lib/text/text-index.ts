import { type Doc, getField, isDocument } from '../bson/document.ts'
import { CommandError } from '../errors/command-error.ts'
import { findLanguage, type Language } from './language.ts'
import { stemsOf } from './words.ts'

const wildcard = '$**'

// What a text index reads of a document.
export interface TextIndex {
  // By path; the wildcard is not one.
  weights: ReadonlyMap<string, number>
  isWildcard: boolean
  language: Language
  // The field by which a document names its own language.
  overrideField: string
  // Fields of a compound index before the text; a query needs an equality for each.
  prefix: string[]
}

// The options were checked when the index was created.
export function toTextIndex(pattern: Doc, options: Doc): TextIndex {
  const weights = isDocument(options['weights']) ? options['weights'] : {}
  const paths = Object.entries(weights).filter(([path]) => path !== wildcard)
  const keys = Object.keys(pattern)
  return {
    weights: new Map(paths.map(([path, weight]) => [path, Number(weight)])),
    isWildcard: Object.hasOwn(weights, wildcard),
    language: requireLanguage(String(options['default_language'])),
    overrideField: String(options['language_override']),
    prefix: keys.slice(0, keys.indexOf('_fts')),
  }
}

export function requireLanguage(name: string): Language {
  const language = findLanguage(name)
  if (language) return language
  throw new CommandError('BadValue', `unsupported language: "${name}" for text index version 3`)
}

interface Text {
  text: string
  language: Language
  weight: number
}

// Every text of a document that the index covers.
export function* textsOf(index: TextIndex, doc: Doc): Generator<Text, void> {
  yield* textsIn(index, doc, { path: '', language: index.language })
}

interface Place {
  path: string
  language: Language
}

function* textsIn(index: TextIndex, doc: Doc, place: Place): Generator<Text, void> {
  const language = languageOf(index, doc) ?? place.language
  for (const name of Object.keys(doc)) {
    if (index.isWildcard && name === index.overrideField) continue
    const path = place.path === '' ? name : `${place.path}.${name}`
    const value = getField(doc, name)
    const items: unknown[] = Array.isArray(value)
      ? value.flat(index.isWildcard ? Infinity : 0)
      : [value]
    for (const item of items) yield* textsAt(index, item, { path, language })
  }
}

function* textsAt(index: TextIndex, value: unknown, place: Place): Generator<Text, void> {
  const { path, language } = place
  const weight = index.weights.get(path)
  if (typeof value === 'string') {
    if (weight !== undefined || index.isWildcard)
      yield { text: value, language, weight: weight ?? 1 }
  } else if (isDocument(value)) {
    const isBelow = [...index.weights.keys()].some((one) => one.startsWith(`${path}.`))
    if (index.isWildcard || isBelow) yield* textsIn(index, value, place)
  }
}

function languageOf({ overrideField }: TextIndex, doc: Doc): Language | undefined {
  const name = getField(doc, overrideField)
  if (name === undefined) return undefined
  if (typeof name !== 'string') {
    throw new CommandError(
      'Location17261',
      'found language override field in document with non-string type',
    )
  }
  const language = findLanguage(name)
  if (language) return language
  throw new CommandError('Location17262', `language override unsupported: ${name}`)
}

// The score of each term: it grows with the weight of the field and with each repetition (by half
// as much as with the previous one), and is higher the larger its share of the text is.
export function scoreTerms(index: TextIndex, doc: Doc): Map<string, number> {
  const scores = new Map<string, number>()
  for (const { text, language, weight } of textsOf(index, doc)) {
    const stems = stemsOf(text, { language })
    const counts = new Map<string, number>()
    for (const stem of stems) counts.set(stem, (counts.get(stem) ?? 0) + 1)
    for (const [stem, count] of counts) {
      const frequency = 2 - 2 ** (1 - count)
      const share = (0.5 * count) / stems.length + 0.5
      // The text consists of this term, in its basic form.
      const bonus = text.toLowerCase() === stem ? 1.1 : 1
      scores.set(stem, (scores.get(stem) ?? 0) + weight * frequency * share * bonus)
    }
  }
  return scores
}
