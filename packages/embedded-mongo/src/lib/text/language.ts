import { createRequire } from 'node:module'
import { lookUp } from '../bson/document.ts'
import { englishStopWords } from './stop-words.ts'

export interface Language {
  name: string
  lower(text: string): string
  isStopWord(word: string): boolean
  stem(word: string): string
}

const codes: Readonly<Record<string, string>> = {
  da: 'danish',
  nl: 'dutch',
  en: 'english',
  fi: 'finnish',
  fr: 'french',
  de: 'german',
  hu: 'hungarian',
  it: 'italian',
  nb: 'norwegian',
  pt: 'portuguese',
  ro: 'romanian',
  ru: 'russian',
  es: 'spanish',
  sv: 'swedish',
  tr: 'turkish',
}

const names = new Set(['none', ...Object.values(codes)])
const languages = new Map<string, Language>()

// By name or ISO 639-1 code, in any case; undefined when MongoDB has no such language.
export function findLanguage(nameOrCode: string): Language | undefined {
  const given = nameOrCode.toLowerCase()
  const name = lookUp(codes, given) ?? given
  if (!names.has(name)) return undefined
  let language = languages.get(name)
  if (language === undefined) {
    language = name === 'none' ? unstemmed : createLanguage(name)
    languages.set(name, language)
  }
  return language
}

const unstemmed: Language = {
  name: 'none',
  lower: (text) => text.toLowerCase(),
  isStopWord: () => false,
  stem: (word) => word,
}

const maxKnownStems = 20_000

function createLanguage(name: string): Language {
  const locale = name === 'turkish' ? 'tr' : undefined
  const stems = new Map<string, string>()
  // The libraries are loaded with the first word: few applications search text.
  let stemmer: Stemmer | undefined
  let stopWords: ReadonlySet<string> | undefined
  return {
    name,
    lower: (text) => text.toLocaleLowerCase(locale),
    isStopWord(word) {
      stopWords ??= new Set(loadStopWords(name))
      return stopWords.has(word)
    },
    stem(word) {
      const known = stems.get(word)
      if (known !== undefined) return known
      stemmer ??= loadStemmer(name)
      const stem = stemmer.stem(word)
      if (stems.size < maxKnownStems) stems.set(word, stem)
      return stem
    },
  }
}

interface Stemmer {
  stem(word: string): string
}

const load = createRequire(import.meta.url)

function loadStemmer(name: string): Stemmer {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the library has no types
  const library = load('snowball-stemmers') as { newStemmer(language: string): Stemmer }
  return library.newStemmer(name)
}

function loadStopWords(name: string): readonly string[] {
  if (name === 'english') return englishStopWords
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- every language exports one list
  const library = load(`@orama/stopwords/${name}`) as { stopwords: readonly string[] }
  return library.stopwords
}
