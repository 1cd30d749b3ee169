// Source text of literals. Nothing here is laid out: a formatter does that to the whole file.

export const text = (value: string): string => JSON.stringify(value)

// Digits are grouped from five on: 10_000.
export function number(value: number): string {
  const [whole = '', fraction] = String(value).split('.')
  const digits = whole.replace('-', '')
  const grouped = digits.length > 4 ? digits.replaceAll(/\B(?=(\d{3})+$)/g, '_') : digits
  return (value < 0 ? '-' : '') + grouped + (fraction === undefined ? '' : `.${fraction}`)
}

export const list = (items: readonly string[]): string => `[${items.join(', ')}]`

export const object = (members: readonly string[]): string =>
  members.length === 0 ? '{}' : `{ ${members.join(', ')} }`
