const secretWords = new Set(
  'password passwd pwd passphrase passcode secret token jwt otp pin cvv cvc ssn iban authorization credential credentials'.split(
    ' ',
  ),
)
const secretPairs = ['api key', 'private key', 'access key', 'card number', 'session id']
// `tokenType` and `passwordChangedAt` say something about a secret.
const aboutSecrets = new Set('type at in count length policy expires expiry required'.split(' '))

export function toWords(name: string): readonly string[] {
  const spaced = name.replace(/([a-z0-9])([A-Z])/g, '$1 $2').replace(/[^A-Za-z0-9]+/g, ' ')
  return spaced.trim().toLowerCase().split(' ')
}

// `more` has further names, as words in lower case.
export function isSecretName(name: string, more: ReadonlySet<string>): boolean {
  const words = toWords(name)
  if (more.has(words.join(' '))) return true
  if (aboutSecrets.has(words.at(-1) ?? '')) return false
  const text = ` ${words.join(' ')} `
  const compact = words.join('')
  return (
    words.some((word) => secretWords.has(word)) ||
    secretPairs.some((pair) => text.includes(` ${pair} `)) ||
    ['apikey', 'csrftoken', 'xsrftoken', 'sessionid', 'accesstoken'].includes(compact)
  )
}
