import { commonWords } from './common-words.ts'

/** What is put behind a word to make it pass a rule, in the order of the lists of leaks. */
export const commonEndings: readonly string[] = [
  ...'0 1 2 3 4 5 6 7 8 9 00 01 02 007 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 27 29 33 42 44'.split(
    ' ',
  ),
  ...'55 66 69 77 86 87 88 89 90 91 92 93 94 95 96 97 98 99 100 101 111 121 122 123 124 125 143'.split(
    ' ',
  ),
  ...'222 234 247 312 321 333 345 360 420 444 456 555 567 654 666 678 696 777 786 789 888 911'.split(
    ' ',
  ),
  ...'999 1111 1122 1212 1213 1234 1313 2222 2580 3333 4321 5555 6666 6969 7777 8888 9999'.split(
    ' ',
  ),
  ...'12345 123123 111111 123321 54321 123456 654321 1234567 12345678 123456789 1234567890'.split(
    ' ',
  ),
  ...'! !! !!! !1 !@# !123 1! 1!! 12! 123! 1234! 12345! 123!! # #1 #123 $ $1 $123 * ** . .. ? @ @1'.split(
    ' ',
  ),
  ...'@12 @123 @1234 @12345 _1 _123 -1 -123 a a1 q x xx xxx y z s abc me you'.split(' '),
  ...createYears(1950, 2039),
]

const walks = [
  '01234567890123456789012345678901234567890123456789',
  'abcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyz',
  'qwertyuiop[]asdfghjkl;zxcvbnm,./',
  'qwertzuiopasdfghjklyxcvbnm',
  'azertyuiopqsdfghjklmwxcvbn',
  '!@#$%^&*()_+',
  '1qaz2wsx3edc4rfv5tgb6yhn7ujm8ik,9ol.0p;/',
  'qazwsxedcrfvtgbyhnujmikolp',
  'zaq12wsxcde34rfvbgt56yhnmju78ik,',
  'zaq1xsw2cde3vfr4bgt5nhy6mju7',
  'zaqxswcdevfrbgtnhymjukilop',
  '1q2w3e4r5t6y7u8i9o0p',
  'q1w2e3r4t5y6u7i8o9p0',
  'q2w3e4r5t6y7u8i9o0p',
  'a1b2c3d4e5f6g7h8i9j0',
  '1a2b3c4d5e6f7g8h9i0j',
  'qweasdzxc123',
  '147258369 741852963 159357 159753 789456123 987456321 1472580 13579 24680 112233445566778899',
].flatMap((walk) => [walk, Array.from(walk).toReversed().join('')])

const endings = new Set(commonEndings)

/**
 * Whether a password is among the first that are guessed: a common word with a common ending, a
 * walk over the keyboard, a sequence, a repetition or a date; also with letters respelled as
 * digits and signs.
 * @param folded - the password in lower case
 * @returns true when it is common
 */
export function isCommonPassword(folded: string): boolean {
  return (
    isWord(folded) ||
    isWordWithEnding(folded) ||
    isWalk(folded) ||
    isRepetition(folded) ||
    isDate(folded)
  )
}

function isWord(text: string): boolean {
  return commonWords.has(text) || commonWords.has(readDigits(text))
}

function isWordWithEnding(text: string): boolean {
  for (let length = 1; length <= 10 && length < text.length; length++) {
    const cut = text.length - length
    if (endings.has(text.slice(cut)) && isWord(text.slice(0, cut))) return true
    if (endings.has(text.slice(0, length)) && isWord(text.slice(length))) return true
  }
  return false
}

const letters: Readonly<Record<string, string>> = {
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
}

function readDigits(text: string): string {
  return text.replaceAll(/[@483!10$57]/g, (sign) => letters[sign] ?? sign)
}

// The text is nothing but pieces, of three characters or more, of the walks.
function isWalk(text: string): boolean {
  const reached = new Set([0])
  for (const start of reached) {
    for (let end = start + 3; end <= text.length; end++) {
      const piece = text.slice(start, end)
      if (!isRun(piece) && !walks.some((walk) => walk.includes(piece))) break
      reached.add(end)
    }
  }
  return reached.has(text.length)
}

function isRun(piece: string): boolean {
  return piece === piece.charAt(0).repeat(piece.length)
}

function isRepetition(text: string): boolean {
  for (let length = 1; length <= text.length / 2; length++) {
    const unit = text.slice(0, length)
    if (text.length % length !== 0 || unit.repeat(text.length / length) !== text) continue
    if (length <= 3 || isWord(unit) || isWordWithEnding(unit) || isWalk(unit)) return true
  }
  return false
}

function isDate(text: string): boolean {
  if (!/^\d{8}$/.test(text)) return false
  return (
    isDayAndYear(text.slice(0, 4), text.slice(4)) || isDayAndYear(text.slice(4), text.slice(0, 4))
  )
}

function isDayAndYear(day: string, year: string): boolean {
  const [first, second] = [Number(day.slice(0, 2)), Number(day.slice(2))]
  const isDay = first >= 1 && second >= 1 && Math.min(first, second) <= 12
  return isDay && Math.max(first, second) <= 31 && Number(year) >= 1900 && Number(year) < 2040
}

function createYears(first: number, last: number): string[] {
  return Array.from({ length: last - first + 1 }, (_, index) => String(first + index))
}
