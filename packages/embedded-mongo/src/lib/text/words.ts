import { type Language } from './language.ts'

export interface Sensitivity {
  case: boolean
  diacritics: boolean
}

export const insensitive: Sensitivity = { case: false, diacritics: false }

const delimiters =
  '\\p{White_Space}\\p{Dash}\\p{Quotation_Mark}\\p{Terminal_Punctuation}\\p{Sentence_Terminal}\\p{Pattern_Syntax}'
const words = new RegExp(`[^${delimiters}]+`, 'gu')
// English contractions are one word.
const englishWords = new RegExp(`(?:[^${delimiters}]|')+`, 'gu')

interface Stems {
  language: Language
  sensitivity?: Sensitivity
  // Stop words are kept.
  all?: boolean
}

// Stop words and the stemmer know diacritics, so those are removed last.
export function stemsOf(text: string, options: Stems): string[] {
  const { language, sensitivity = insensitive, all = false } = options
  const found: string[] = []
  for (const [word] of text.matchAll(language.name === 'english' ? englishWords : words)) {
    const lower = language.lower(word)
    if (!all && language.isStopWord(lower)) continue
    const stem = language.stem(sensitivity.case ? word : lower)
    found.push(sensitivity.diacritics ? stem : withoutDiacritics(stem))
  }
  return found
}

// A phrase matches anywhere in a text, also within words.
export function fold(text: string, language: Language, sensitivity: Sensitivity): string {
  const cased = sensitivity.case ? text : language.lower(text)
  return sensitivity.diacritics ? cased : withoutDiacritics(cased)
}

function withoutDiacritics(text: string): string {
  // Most words are ASCII.
  if (/^[\0-\x7f]*$/.test(text)) return text
  return text
    .normalize('NFD')
    .replaceAll(/\p{Diacritic}/gu, '')
    .normalize('NFC')
}
