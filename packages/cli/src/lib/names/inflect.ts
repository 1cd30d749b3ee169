import pluralize from 'pluralize'

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

export interface InflectionRules {
  /** Singular to plural. */
  readonly irregular: Readonly<Record<string, string>>
  /** Words that are their own plural. */
  readonly uncountable: readonly string[]
}

export interface Inflected {
  readonly singular: string
  readonly plural: string
}

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
