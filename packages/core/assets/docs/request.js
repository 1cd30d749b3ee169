// @ts-check

/** @typedef {import('./dom.js').Json} Json */

const root = new URL('..', import.meta.url)

/** The media type of uploads. */
export const multipart = 'multipart/form-data'

/** What the names of the inputs of an upload begin with. */
export const partPrefix = 'part '

/** The token of the requests, kept in this page only. */
export const session = { token: '', scheme: 'Bearer' }

/**
 * Creates a request from the form of an operation.
 *
 * @param {Json} operation
 * @param {HTMLFormElement} form
 * @param {string | undefined} type media type of the body
 * @returns {{ url: URL, method: string, headers: Headers, body: string | FormData | undefined }}
 */
export function toRequest(operation, form, type) {
  const fields = new FormData(form)
  const isUpload = type === multipart
  // The browser adds the boundary of an upload.
  const headers = new Headers(type && !isUpload ? { 'content-type': type } : {})
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
  const text = fields.has('body') ? read(fields, 'body') : undefined
  const body = isUpload ? toUpload(fields) : text
  return { url, method: operation.method, headers, body }
}

// The inputs of the parts; those left empty are not sent.
/** @param {FormData} fields */
function toUpload(fields) {
  const body = new FormData()
  for (const [name, value] of fields) {
    const isEmpty = typeof value === 'string' ? value === '' : value.name === ''
    if (name.startsWith(partPrefix) && !isEmpty) body.append(name.slice(partPrefix.length), value)
  }
  return body
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
  if (typeof body === 'string') parts.push(`-d ${quote(body)}`)
  else if (body) {
    for (const [name, value] of body) {
      const isFile = typeof value !== 'string'
      parts.push(
        isFile
          ? `-F ${quote(`${name}=@${value.name};type=${value.type || 'application/octet-stream'}`)}`
          : `--form-string ${quote(`${name}=${value}`)}`,
      )
    }
  }
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
