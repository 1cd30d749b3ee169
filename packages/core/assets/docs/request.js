// @ts-check

/** @typedef {import('./dom.js').Json} Json */

const root = new URL('..', import.meta.url)

/** The token of the requests, kept in this page only. */
export const session = { token: '', scheme: 'Bearer' }

/**
 * Creates a request from the form of an operation.
 *
 * @param {Json} operation
 * @param {HTMLFormElement} form
 * @param {string | undefined} type media type of the body
 * @returns {{ url: URL, method: string, headers: Headers, body: string | undefined }}
 */
export function toRequest(operation, form, type) {
  const fields = new FormData(form)
  const headers = new Headers(type ? { 'content-type': type } : {})
  if (session.token !== '') headers.set('authorization', `${session.scheme} ${session.token}`)
  let { path } = operation
  const query = new URLSearchParams()
  for (const { in: place, name } of operation.parameters ?? []) {
    const value = read(fields, `${place} ${name}`)
    if (place === 'path') path = path.replace(`{${name}}`, encodeURIComponent(value))
    else if (value === '') continue
    else if (place === 'query') query.set(name, value)
    else headers.set(name, value)
  }
  const url = new URL(`.${path}${query.size > 0 ? `?${query}` : ''}`, root)
  const body = fields.has('body') ? read(fields, 'body') : undefined
  return { url, method: operation.method, headers, body }
}

/**
 * Formats a request as a curl command.
 *
 * @param {ReturnType<typeof toRequest>} request
 * @returns {string}
 */
export function toCurl({ body, headers, method, url }) {
  const parts = [`curl -X ${method} ${quote(url.href)}`]
  for (const [name, value] of headers) parts.push(`-H ${quote(`${name}: ${value}`)}`)
  if (body !== undefined) parts.push(`-d ${quote(body)}`)
  return parts.join(' \\\n  ')
}

/** @param {string} text */
function quote(text) {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`
}

/**
 * @param {FormData} fields
 * @param {string} name
 */
function read(fields, name) {
  const value = fields.get(name)
  return typeof value === 'string' ? value : ''
}
