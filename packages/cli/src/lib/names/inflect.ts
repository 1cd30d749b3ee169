import pluralize from 'pluralize'

/** Words whose plural a rule cannot know: singular to plural. */
const irregular: Readonly<Record<string, string>> = {
  cache: 'caches',
  cookie: 'cookies',
  canvas: 'canvases',
  axis: 'axes',
  basis: 'bases',
  oasis: 'oases',
  lens: 'lenses',
  atlas: 'atlases',
  bias: 'biases',
  schema: 'schemas',
  virus: 'viruses',
  hero: 'heroes',
  die: 'dice',
}

const uncountable: readonly string[] =
  `data metadata media sms dns aws https cors redis kubernetes ios os gps css money feedback staff
  analytics settings news series species`.split(/\s+/)

/** Rules of one project, added to the built-in ones and stronger than they are. */
export interface InflectionRules {
  /** Singular to plural. */
  readonly irregular: Readonly<Record<string, string>>
  /** Words that are their own plural. */
  readonly uncountable: readonly string[]
}

/** Both forms of one word. */
export interface Inflected {
  readonly singular: string
  readonly plural: string
}

/**
 * Gives the singular and the plural of a lower-case word, whichever of the two it is.
 *
 * @param word one lower-case word
 * @param rules the project's own rules
 * @returns both forms; the same word twice when it has no plural
 */
export function inflect(word: string, rules: InflectionRules): Inflected {
  const merged = { ...irregular, ...rules.irregular }
  if (rules.uncountable.includes(word)) return { singular: word, plural: word }
  for (const [singular, plural] of Object.entries(merged)) {
    if (word === singular || word === plural) return { singular, plural }
  }
  if (uncountable.includes(word)) return { singular: word, plural: word }
  const singular = pluralize.singular(word)
  return { singular, plural: pluralize.plural(singular) }
}
