// Without Zod, for tools that examine texts.

const local = "(?:[A-Za-z0-9_'+-]+[.])*[A-Za-z0-9_'+-]*[A-Za-z0-9_+-]"
const label = '[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?'

const email = `${local}@(?:${label}[.])+[A-Za-z]{2,63}`

export const emailPattern = new RegExp(`^${email}$`)
// With the spaces that keyboards of phones add after a completed word.
export const typedEmailPattern = new RegExp(`^ *${email} *$`)
export const maxEmailLength = 254

export const urlPattern = toUrlPattern()
export const maxUrlLength = 2048

// Text that a spreadsheet could evaluate, also after what it could take for the end of a cell, or remove: separators, white
// space, control characters. Full-width signs are signs to it, too.
// oxlint-disable-next-line no-control-regex -- a spreadsheet removes them
export const formulaPattern = /^[\s,;"'\u0000-\u001f\u200b\ufeff]*[=+\-@＝＋－＠]|^'*[\t\r\n]/

function toUrlPattern(): RegExp {
  const byte = '(?:25[0-5]|2[0-4][0-9]|1[0-9]{2}|[1-9]?[0-9])'
  // A host whose last label is a number would be read as an IPv4 address.
  const host = `(?:(?:${label}[.])*(?=[A-Za-z])${label}|${byte}(?:[.]${byte}){3})`
  const port = '(?::(?:6553[0-5]|655[0-2][0-9]|65[0-4][0-9]{2}|6[0-4][0-9]{3}|[1-5]?[0-9]{1,4}))?'
  const path = "(?:[A-Za-z0-9._~!$&'()*+,;=:@/-]|%[0-9A-Fa-f]{2})*"
  const query = path.replace('/', '/?')
  return new RegExp(`^https?://${host}${port}(?:/${path})?(?:[?]${query})?(?:#${query})?$`)
}
