import { type Doc, isDocument, setField } from '../bson/document.ts'
import { isNumeric, toNumber } from '../bson/numeric.ts'
import { showValue } from '../bson/show-value.ts'
import { CommandError } from '../errors/command-error.ts'
import { findLanguage } from './language.ts'

const maxWeight = 100_000
const textVersion = 3

export function isTextKey(key: Doc): boolean {
  return Object.values(key).includes('text')
}

// Brings the description of a text index into the form in which MongoDB stores it: the fields are
// in `weights`, and the key has the same two fields for all of them.
export function parseTextIndex(key: Doc, spec: Doc): { key: Doc; options: Doc } {
  const { default_language: language = 'english', language_override: override = 'language' } = spec
  if (typeof language !== 'string' || findLanguage(language) === undefined) {
    throw refuse('default_language is not valid')
  }
  if (typeof override !== 'string' || override === '' || /^\$|\./.test(override)) {
    throw refuse('language_override is not valid')
  }
  requireVersion(spec['textIndexVersion'])
  return {
    key: toStoredKey(key),
    options: {
      weights: toWeights(key, spec['weights']),
      default_language: language,
      language_override: override,
      textIndexVersion: textVersion,
    },
  }
}

function refuse(message: string): CommandError {
  return new CommandError('CannotCreateIndex', message)
}

function requireVersion(version: unknown): void {
  if (version === undefined || (isNumeric(version) && toNumber(version) === textVersion)) return
  throw refuse(`bad textIndexVersion: ${showValue(version)}`)
}

function toStoredKey(key: Doc): Doc {
  const stored: Doc = {}
  let last = ''
  for (const [path, kind] of Object.entries(key)) {
    const isStored = path === '_fts' || path === '_ftsx'
    if (kind === 'text' || isStored) {
      if (isStored && !('_fts' in key && '_ftsx' in key)) {
        throw refuse('text index with reserved fields _fts/_ftsx not allowed')
      }
      if ('_fts' in stored && last !== 'text') {
        throw refuse("'text' fields in index must all be adjacent")
      }
      stored['_fts'] = 'text'
      stored['_ftsx'] = 1
      last = 'text'
    } else {
      requireDirection(kind)
      setField(stored, path, kind)
      last = path
    }
  }
  return stored
}

function requireDirection(kind: unknown): void {
  if (isNumeric(kind) && Math.abs(toNumber(kind)) === 1) return
  throw refuse('expected value 1 or -1 for non-text key in compound index')
}

// Sorted by path.
function toWeights(key: Doc, given: unknown): Doc {
  if (given !== undefined && !isDocument(given)) {
    throw refuse("text index option 'weights' must be an object")
  }
  const weights = new Map<string, unknown>()
  for (const [path, kind] of Object.entries(key)) {
    if (kind === 'text' && path !== '_fts') weights.set(path, 1)
  }
  for (const [path, weight] of Object.entries(given ?? {})) weights.set(path, weight)
  for (const weight of weights.values()) requireWeight(weight)
  return Object.fromEntries([...weights].toSorted(([a], [b]) => (a < b ? -1 : 1)))
}

function requireWeight(weight: unknown): void {
  if (!isNumeric(weight)) throw refuse('weight for text index needs numeric type')
  const number = toNumber(weight)
  if (number > 0 && number < maxWeight) return
  throw refuse(
    `text index weight must be in the exclusive interval (0,${maxWeight}) but found: ${number}`,
  )
}
