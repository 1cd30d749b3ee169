const secretWord =
  /^(?:pwd|pw|jwt|t?otp|pin|cvv2?|cvc|ssn|iban|authorization|sig|signature)$|passw(?:or)?d|passphrase|passcode|(?:token|secret|credential|sessionid|(?:api|access|private|secret|auth)key)s?$/
const secretPair =
  / (?:(?:api|private|access|auth|signing|encryption|session) keys?|(?:security|verification|recovery|backup) codes?|card number|credit card|session id|(?:user|db) pass) /
// `tokenType` and `passwordChangedAt` say something about a secret.
const aboutSecrets = new Set('type at in count length policy expires expiry required'.split(' '))

export function toWords(name: string): readonly string[] {
  const spaced = name
    .replace(/(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])/g, ' ')
    .replace(/[^A-Za-z0-9]+/g, ' ')
  return spaced.trim().toLowerCase().split(' ')
}

// `more` has further names, as words in lower case.
export function isSecretName(name: string, more: ReadonlySet<string>): boolean {
  const words = toWords(name)
  const text = words.join(' ')
  if (more.has(text) || text === 'pass') return true
  if (aboutSecrets.has(words.at(-1) ?? '')) return false
  return words.some((word) => secretWord.test(word)) || secretPair.test(` ${text} `)
}
