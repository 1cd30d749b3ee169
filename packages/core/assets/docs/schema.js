// @ts-check
import { element } from './dom.js'

/** @typedef {import('./dom.js').Json} Json */

/**
 * Resolves a `$ref`.
 *
 * @param {Json} api the document
 * @param {Json} value a part of it
 * @returns {Json}
 */
export function resolve(api, value) {
  if (typeof value?.$ref !== 'string') return value ?? {}
  const keys = value.$ref.slice(2).split('/')
  return resolve(
    api,
    keys.reduce((/** @type {any} */ part, /** @type {string} */ key) => part[key], api),
  )
}

/**
 * Describes the values of a schema in a few words.
 *
 * @param {Json} api the document
 * @param {Json} schema
 * @returns {string}
 */
export function toTypeText(api, schema) {
  const resolved = resolve(api, schema)
  const { anyOf, const: fixed, enum: values, format, items, type } = resolved
  if (fixed !== undefined) return JSON.stringify(fixed)
  if (values) return values.map((/** @type {unknown} */ value) => JSON.stringify(value)).join(' | ')
  if (anyOf) {
    return anyOf.map((/** @type {Json} */ option) => toTypeText(api, option)).join(' or ')
  }
  if (type === 'array') return `list of ${toTypeText(api, items ?? {})}`
  const name = Array.isArray(type) ? type.join(' or ') : (type ?? 'anything')
  return [format ?? name, toBounds(resolved)].filter((part) => part !== '').join(', ')
}

/** @param {Json} schema */
function toBounds({ maximum, maxLength, minimum, minLength }) {
  const [low, high] = [minimum ?? minLength, maximum ?? maxLength]
  const unit = minLength === undefined && maxLength === undefined ? '' : ' characters'
  const isOpen = low === undefined || Math.abs(low) === Number.MAX_SAFE_INTEGER
  const isEndless = high === undefined || Math.abs(high) === Number.MAX_SAFE_INTEGER
  if (isOpen && isEndless) return ''
  if (isEndless) return `at least ${low}${unit}`
  return isOpen ? `at most ${high}${unit}` : `${low} to ${high}${unit}`
}

/**
 * Renders the fields of a schema, with those of nested objects below them.
 *
 * @param {Json} api the document
 * @param {Json} schema
 * @returns {HTMLElement}
 */
export function toFieldList(api, schema) {
  const { items, properties = {}, required = [], type } = resolve(api, schema)
  if (type === 'array' && items) return toFieldList(api, items)
  const list = element('dl', { className: 'fields' })
  for (const [name, property] of Object.entries(properties)) {
    const mark = [
      ...(required.includes(name) ? [element('b', { textContent: 'required' })] : []),
      ...(property.deprecated ? [element('i', { textContent: 'deprecated' })] : []),
    ]
    const inner = resolve(api, resolve(api, property).items ?? property)
    list.append(
      element('dt', {}, element('code', { textContent: name }), ...mark),
      element('dd', { textContent: toTypeText(api, property) }),
    )
    if ('x-readable' in property || 'x-writable' in property) {
      list.append(element('dd', {}, element('small', { textContent: property.description })))
    }
    if (inner.properties) list.append(element('dd', {}, toFieldList(api, inner)))
  }
  return list
}
