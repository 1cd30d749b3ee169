import { type Doc, isDocument } from '../bson/document.ts'
import { typeName } from '../bson/type-name.ts'
import { CommandError } from '../errors/command-error.ts'
import { type Language } from './language.ts'
import { requireLanguage, scoreTerms, type TextIndex, textsOf } from './text-index.ts'
import { fold, insensitive, type Sensitivity, stemsOf } from './words.ts'

export interface TextQuery {
  // What the index is searched for; a document without any of them does not match.
  terms: string[]
  // The score of a document, or undefined when it does not match.
  score(doc: Doc): number | undefined
}

export function parseTextQuery(operand: unknown, index: TextIndex): TextQuery {
  const { search, language, sensitivity } = parseOperand(operand, index)
  const { wanted, unwanted } = splitSearch(search)
  const terms = [...new Set(stemsOf(wanted.words, { language }))].toSorted()
  // Terms are looked up without case and diacritics; where those matter, texts are read again.
  const isExact = sensitivity.case || sensitivity.diacritics
  const wantedStems = new Set(stemsOf(wanted.words, { language, sensitivity }))
  const unwantedStems = new Set(stemsOf(unwanted.words, { language, sensitivity }))
  const hasTerm = (doc: Doc, set: ReadonlySet<string>): boolean =>
    set.size > 0 &&
    [...textsOf(index, doc)].some(({ text, language: own }) =>
      stemsOf(text, { language: own, sensitivity, all: true }).some((stem) => set.has(stem)),
    )
  const hasPhrase = (doc: Doc, phrase: string): boolean =>
    [...textsOf(index, doc)].some(({ text, language: own }) =>
      fold(text, own, sensitivity).includes(fold(phrase, own, sensitivity)),
    )
  return {
    terms,
    score(doc) {
      const scores = scoreTerms(index, doc)
      const found = terms.filter((term) => scores.has(term))
      if (found.length === 0 || (isExact && !hasTerm(doc, wantedStems))) return undefined
      if (hasTerm(doc, unwantedStems)) return undefined
      if (!wanted.phrases.every((phrase) => hasPhrase(doc, phrase))) return undefined
      if (unwanted.phrases.some((phrase) => hasPhrase(doc, phrase))) return undefined
      return found.reduce((sum, term) => sum + (scores.get(term) ?? 0), 0)
    },
  }
}

interface Operand {
  search: string
  language: Language
  sensitivity: Sensitivity
}

const names = new Set(['$search', '$language', '$caseSensitive', '$diacriticSensitive'])

function parseOperand(operand: unknown, index: TextIndex): Operand {
  if (!isDocument(operand)) throw new CommandError('BadValue', '$text expects an object')
  const {
    $search: search,
    $language: language,
    $caseSensitive: isCaseSensitive = insensitive.case,
    $diacriticSensitive: isDiacriticSensitive = insensitive.diacritics,
  } = operand
  if (typeof search !== 'string') throw wrongType('$search', 'string', search)
  if (language !== undefined && typeof language !== 'string') {
    throw wrongType('$language', 'string', language)
  }
  if (typeof isCaseSensitive !== 'boolean') {
    throw wrongType('$caseSensitive', 'bool', isCaseSensitive)
  }
  if (typeof isDiacriticSensitive !== 'boolean') {
    throw wrongType('$diacriticSensitive', 'bool', isDiacriticSensitive)
  }
  if (Object.keys(operand).some((name) => !names.has(name))) {
    throw new CommandError('BadValue', 'extra fields in $text')
  }
  return {
    search,
    language: language === undefined ? index.language : requireLanguage(language),
    sensitivity: { case: isCaseSensitive, diacritics: isDiacriticSensitive },
  }
}

function wrongType(name: string, expected: string, value: unknown): CommandError {
  const problem =
    value === undefined
      ? 'Missing expected field'
      : `"${name}" had the wrong type. Expected ${expected}, found ${typeName(value)}`
  return value === undefined
    ? new CommandError('NoSuchKey', `${problem} "${name}"`)
    : new CommandError('TypeMismatch', problem)
}

interface SearchPart {
  words: string
  phrases: string[]
}

// A minus that follows white space negates what follows it, up to the next white space. Words of a
// phrase are searched for too, but do not exclude a document.
function splitSearch(search: string): { wanted: SearchPart; unwanted: SearchPart } {
  const wanted: SearchPart = { words: '', phrases: [] }
  const unwanted: SearchPart = { words: '', phrases: [] }
  let isNegated = false
  for (const { 0: token, 1: phrase, index } of search.matchAll(/"([^"]*)"|-|[^\s"-]+/g)) {
    const followsSpace = index === 0 || /\s/.test(search[index - 1] ?? '')
    if (token === '-') isNegated ||= followsSpace
    else {
      if (followsSpace) isNegated = false
      const part = isNegated ? unwanted : wanted
      if (phrase !== undefined) part.phrases.push(phrase)
      if (phrase === undefined || !isNegated) part.words += `${phrase ?? token} `
    }
  }
  return { wanted, unwanted }
}
