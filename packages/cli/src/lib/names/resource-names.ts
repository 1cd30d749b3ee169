import { CliError } from '../errors.ts'
import { inflect, type InflectionRules } from './inflect.ts'
import { splitWords } from './split-words.ts'

/** Every name a resource has, derived from one typed name. */
export interface ResourceNames {
  /** The name as typed. */
  readonly typed: string
  /** Model and type: `BlogPost`. */
  readonly model: string
  /** Variable for one document: `blogPost`. */
  readonly one: string
  /** Variable for many documents: `blogPosts`, or `newsList` when the word has no plural. */
  readonly many: string
  /** Folder, file prefix and path segment: `blog-posts`. */
  readonly plural: string
  /** `blog-post`. */
  readonly singular: string
  /** Exported router: `blogPostsRouter`. */
  readonly router: string
  /** MongoDB collection: `blog_posts`. */
  readonly collection: string
}

/** Overrides of the inflection for one resource. */
export interface NameOverrides {
  /** Singular of the last word. */
  readonly singular?: string | undefined
  /** Plural of the last word. */
  readonly plural?: string | undefined
}

/**
 * Derives every name of a resource.
 *
 * @param typed the name as typed: kebab, snake, camel or Pascal, singular or plural
 * @param rules the project's inflection rules
 * @param overrides forms of the whole name that win over the rules
 * @returns the names
 * @throws CliError `INVALID_NAME` when the name or an override is not a name
 */
export function toResourceNames(
  typed: string,
  rules: InflectionRules,
  overrides: NameOverrides = {},
): ResourceNames {
  const words = splitWords(typed, 'resource')
  const first = words.slice(0, -1)
  const last = words.at(-1) ?? ''
  const inflected = inflect(last, rules)
  const singular = overridden(overrides.singular) ?? [...first, inflected.singular]
  const plural = overridden(overrides.plural) ?? [...first, inflected.plural]
  const countable = singular.join('-') !== plural.join('-')
  return {
    typed,
    model: pascal(singular),
    one: camel(singular),
    many: countable ? camel(plural) : `${camel(plural)}List`,
    plural: plural.join('-'),
    singular: singular.join('-'),
    router: `${camel(plural)}Router`,
    collection: plural.join('_'),
  }
}

/**
 * Derives a model's name, as `ref:` takes it, without touching its number.
 *
 * @param typed a model name in any case
 * @returns the name in Pascal case
 */
export function toModelName(typed: string): string {
  return pascal(splitWords(typed, 'model'))
}

/**
 * Derives the rule to remember for a resource whose inflection was overridden.
 *
 * @param names the names after the override
 * @returns singular and plural of the last word
 * @throws CliError `USAGE` when the two differ in more than their last word
 */
export function toInflectionRule(names: ResourceNames): readonly [string, string] {
  const singular = names.singular.split('-')
  const plural = names.plural.split('-')
  if (singular.slice(0, -1).join('-') !== plural.slice(0, -1).join('-')) {
    throw new CliError(
      'USAGE',
      `--singular ${names.singular} and --plural ${names.plural} must differ in their last word only`,
    )
  }
  return [singular.at(-1) ?? '', plural.at(-1) ?? '']
}

/**
 * Joins words in camel case.
 *
 * @param words lower-case words
 * @returns `blogPost` for `blog`, `post`
 */
export function camel(words: readonly string[]): string {
  return words.map((word, index) => (index === 0 ? word : capital(word))).join('')
}

/**
 * Joins words in Pascal case.
 *
 * @param words lower-case words
 * @returns `BlogPost` for `blog`, `post`
 */
export function pascal(words: readonly string[]): string {
  return words.map(capital).join('')
}

function overridden(form: string | undefined): readonly string[] | undefined {
  return form === undefined ? undefined : splitWords(form, 'resource')
}

function capital(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1)
}
