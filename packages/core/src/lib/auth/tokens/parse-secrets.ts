const fix = 'Create one: openssl rand -base64 32'

const placeholder =
  /secret|change.?me|passw|placeholder|example|sample|default|replace|insert|your.?(?:own|jwt|key)|dummy|foobar|qwerty|letmein/i

export type Secrets = readonly [string, ...string[]]

// How random they are is checked by `requireStrong`: it depends on where the service runs.
export function parseSecrets(value: unknown): Secrets {
  const texts: readonly unknown[] = Array.isArray(value) ? value : String(value).split(',')
  const [first, ...others] = texts.map((text) => String(text).trim())
  if (first === undefined) throw new TypeError(`needs at least one secret. ${fix}`)
  return [first, ...others]
}

export function requireStrong(secrets: readonly string[], isGuessableAllowed = false): void {
  for (const [index, secret] of secrets.entries()) {
    const fault = findFault(secret, isGuessableAllowed)
    if (fault === undefined) continue
    const which = secrets.length > 1 ? ` (number ${index + 1} of ${secrets.length})` : ''
    throw new TypeError(`${fault}${which}. ${fix}`)
  }
}

function findFault(secret: string, isGuessableAllowed: boolean): string | undefined {
  if (secret === '') return 'is empty'
  if (!isGuessableAllowed && placeholder.test(secret)) return 'is a placeholder, not a secret'
  // RFC 7518 section 3.2.
  if (countBytes(secret) < 32) return 'must encode at least 32 random bytes'
  return !isGuessableAllowed && isGuessable(secret) ? 'is not random enough' : undefined
}

// The number of bytes that a secret represents: base64, base64url and hex are decoded first.
function countBytes(secret: string): number {
  if (/^([0-9a-f]{2})+$/i.test(secret)) return secret.length / 2
  if (/^[\w+/-]+={0,2}$/.test(secret)) return Buffer.from(secret, 'base64').length
  return Buffer.byteLength(secret)
}

function isGuessable(secret: string): boolean {
  const repeats = `${secret}${secret}`.indexOf(secret, 1) < secret.length
  return repeats || countEntropyBits(secret) < 128 || isRun(secret)
}

// Shannon's entropy of the characters: a lower bound for how much was thrown with dice.
function countEntropyBits(text: string): number {
  const counts = new Map<string, number>()
  for (const character of text) counts.set(character, (counts.get(character) ?? 0) + 1)
  let bits = 0
  for (const count of counts.values()) bits -= count * Math.log2(count / text.length)
  return bits
}

// abcdefgh…, 01234567…: nearly every character follows from the one before.
function isRun(text: string): boolean {
  let steps = 0
  for (let index = 1; index < text.length; index++) {
    if (Math.abs(text.charCodeAt(index) - text.charCodeAt(index - 1)) === 1) steps++
  }
  return steps > text.length / 2
}
