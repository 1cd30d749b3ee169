import { type Request } from 'express'
import { endOfString } from './json-text.ts'

const bodies = new WeakMap<Request, unknown>()

// Keeps the numbers of a body that a double may not hold: 0.30000000000000000001 becomes 0.3.
export function keepLongNumbers(text: string, req: Request): void {
  setLongNumbers(req, readLongNumbers(text))
}

export function setLongNumbers(req: Request, body: unknown): void {
  if (body !== undefined) bodies.set(req, body)
}

// The value of JSON with these numbers as text; undefined if there are none.
export function readLongNumbers(text: string): unknown {
  if (!mayHaveLongNumbers.test(text)) return undefined
  const quoted = quoteLongNumbers(text)
  return quoted === text ? undefined : JSON.parse(quoted)
}

// The body with these numbers as text; undefined if there are none.
export function findLongNumbers(req: Request): unknown {
  return bodies.get(req)
}

const mayHaveLongNumbers = /[\d.]{16}|\d[eE]-\d{3}/
const numberAt = /-?\d+(?:\.\d+)?(?:[eE]([+-]?\d+))?/y
const quote = 0x22

function quoteLongNumbers(text: string): string {
  let quoted = ''
  let kept = 0
  for (let index = 0; index < text.length; index++) {
    if (text.charCodeAt(index) === quote) {
      index = endOfString(text, index)
      continue
    }
    numberAt.lastIndex = index
    const [number, exponent = ''] = numberAt.exec(text) ?? []
    if (number === undefined) continue
    const end = index + number.length
    if (isLong(number, exponent)) {
      quoted += `${text.slice(kept, index)}"${number}"`
      kept = end
    }
    index = end - 1
  }
  return quoted + text.slice(kept)
}

// A double holds every number of 15 digits and an exponent of two. One of a hundred digits, zeros included, may be too
// close to zero, and regular expressions need bounded texts.
function isLong(number: string, exponent: string): boolean {
  const digits = number.replace(/[eE].*/, '').replace(/\D/g, '')
  if (digits.length > 100 || exponent.replace(/\D/g, '').length > 2) return true
  return digits.replace(/^0+|0+$/g, '').length > 15
}
