/** A media type and the parameters that matter here. */
export interface MediaType {
  /** `type/subtype` in lower case. */
  readonly essence: string
  /** The `charset` parameter in lower case. */
  readonly charset: string | undefined
}

const token = /^[\w!#$%&'*+.^`|~-]+$/

/**
 * Reads a `Content-Type` (RFC 9110 section 8.3.1).
 * @param value - the header field
 * @returns essence and charset, or undefined when it is not a media type
 */
export function parseMediaType(value: string): MediaType | undefined {
  const [essence = '', ...parameters] = value.split(';')
  const [type = '', subtype = '', ...more] = essence.trim().toLowerCase().split('/')
  if (more.length > 0 || !token.test(type) || !token.test(subtype)) return undefined
  let charset: string | undefined
  for (const parameter of parameters) {
    const equals = parameter.indexOf('=')
    if (parameter.slice(0, Math.max(equals, 0)).trim().toLowerCase() !== 'charset') continue
    // Two of them say nothing, and each reader would take another one.
    if (charset !== undefined) return undefined
    charset = parameter
      .slice(equals + 1)
      .trim()
      .toLowerCase()
      .replace(/^"(.*)"$/, '$1')
  }
  return { essence: `${type}/${subtype}`, charset }
}
