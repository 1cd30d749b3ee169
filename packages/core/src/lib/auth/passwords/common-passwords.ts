import { readFileSync } from 'node:fs'
import { assetUrl } from '../../runtime/asset-url.ts'

let passwords: ReadonlySet<string> | undefined

// Whether a password, in lower case, is among the first that are guessed. The list is read when the
// first password is chosen: most processes never need it.
export function isCommonPassword(password: string): boolean {
  passwords ??= new Set(readFileSync(assetUrl('common-passwords.txt'), 'utf8').split('\n'))
  return (
    isListed(password, passwords) ||
    isRepetition(password, passwords) ||
    isDate(password) ||
    walks.some((walk) => walk.includes(password))
  )
}

// Also with up to four digits and signs after or before it, such as a year or an exclamation mark.
function isListed(text: string, list: ReadonlySet<string>): boolean {
  const words = [text, text.replace(/\P{L}{1,4}$/u, ''), text.replace(/^\P{L}{1,4}/u, '')]
  return words.some((word) => list.has(word) || list.has(readSigns(word)))
}

const letters: ReadonlyMap<string, string> = new Map(
  Object.entries<string>({
    '@': 'a',
    '4': 'a',
    '8': 'b',
    '3': 'e',
    '1': 'i',
    '!': 'i',
    '0': 'o',
    $: 's',
    '5': 's',
    '7': 't',
  }),
)

function readSigns(text: string): string {
  return text.replaceAll(/[@483!10$57]/g, (sign) => letters.get(sign) ?? sign)
}

function isRepetition(text: string, list: ReadonlySet<string>): boolean {
  const unit = /^(.+?)\1+$/.exec(text)?.[1]
  return unit !== undefined && (unit.length <= 4 || isListed(unit, list))
}

// Eight digits that begin or end with a year.
function isDate(text: string): boolean {
  return /^(?:\d{4}(?:19|20)\d\d|(?:19|20)\d{6})$/.test(text)
}

// Sequences, and keys next to one another on three keyboard layouts, in both directions.
const walks = [
  '01234567890123456789',
  'abcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyz',
  'qwertyuiopasdfghjklzxcvbnm',
  'qwertzuiopasdfghjklyxcvbnm',
  'azertyuiopqsdfghjklmwxcvbn',
  '1qaz2wsx3edc4rfv5tgb6yhn7ujm8ik,9ol.0p;/',
  '1q2w3e4r5t6y7u8i9o0p',
].flatMap((walk) => [walk, Array.from(walk).toReversed().join('')])
