import { CliError } from '../errors/cli-error.ts'
import { inflect, type InflectionRules } from './inflect.ts'
import { splitWords } from './split-words.ts'

// Every name of a resource, derived from the one that was typed: here `blog-post`.
export interface ResourceNames {
  readonly typed: string
  /** Model and type: `BlogPost`. */
  readonly model: string
  /** The same in the plural: `BlogPosts`. */
  readonly models: string
  /** Variable for one document: `blogPost`. */
  readonly one: string
  /** Variable for many: `blogPosts`, or `newsList` when the word has no plural. */
  readonly many: string
  /** `blog-post`. */
  readonly singular: string
  /** Folder, file prefix and path segment: `blog-posts`. */
  readonly plural: string
  /** Exported router: `blogPostsRouter`. */
  readonly router: string
  /** MongoDB collection: `blog_posts`. */
  readonly collection: string
  /** In text: `blog post`. */
  readonly label: string
  /** `a blog post`. */
  readonly labelWithArticle: string
  /** `blog posts`. */
  readonly labels: string
}

// Forms of the last word that override the inflection rules.
export interface NameOverrides {
  readonly singular?: string | undefined
  readonly plural?: string | undefined
}

// Accepts kebab, snake, camel and Pascal case, singular and plural.
export function toResourceNames(
  typed: string,
  rules: InflectionRules,
  overrides: NameOverrides = {},
): ResourceNames {
  const words = splitWords(typed, 'resource')
  const first = words.slice(0, -1)
  const inflected = inflect(words.at(-1) ?? '', rules)
  const singular = splitOverride(overrides.singular) ?? [...first, inflected.singular]
  const plural = splitOverride(overrides.plural) ?? [...first, inflected.plural]
  const countable = singular.join('-') !== plural.join('-')
  const label = singular.join(' ')
  return {
    typed,
    model: pascal(singular),
    models: pascal(plural),
    one: camel(singular),
    many: countable ? camel(plural) : `${camel(plural)}List`,
    singular: singular.join('-'),
    plural: plural.join('-'),
    router: `${camel(plural)}Router`,
    collection: plural.join('_'),
    label,
    labelWithArticle: `${articleFor(label)} ${label}`,
    labels: plural.join(' '),
  }
}

// The name of a model, as `ref:` accepts it; its number is kept.
export function toModelName(typed: string): string {
  return pascal(splitWords(typed, 'model'))
}

// The rule to remember for overridden names: singular and plural of the last word.
export function toInflectionRule(names: ResourceNames): readonly [string, string] {
  const singular = names.singular.split('-')
  const plural = names.plural.split('-')
  if (singular.slice(0, -1).join('-') !== plural.slice(0, -1).join('-')) {
    throw new CliError(
      'USAGE',
      `--singular ${names.singular} and --plural ${names.plural} may differ in their last word only`,
    )
  }
  return [singular.at(-1) ?? '', plural.at(-1) ?? '']
}

export function camel(words: readonly string[]): string {
  return words.map((word, index) => (index === 0 ? word : capitalize(word))).join('')
}

function pascal(words: readonly string[]): string {
  return words.map(capitalize).join('')
}

function splitOverride(form: string | undefined): readonly string[] | undefined {
  return form === undefined ? undefined : splitWords(form, 'resource')
}

function capitalize(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1)
}

// By sound, as far as letters show it: a user, a unit, an hour.
function articleFor(label: string): string {
  const vowel = /^([aeio]|hour|honest|u(?!n[aeiu]|s[aeiu]|t[aeiou]|r[aeiou]))/
  return vowel.test(label) ? 'an' : 'a'
}
