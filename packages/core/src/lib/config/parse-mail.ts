/**
 * Checks the address of a mail server.
 * @param value - as given
 * @returns the same
 * @throws TypeError when it is none
 */
export function parseSmtpUrl(value: unknown): string {
  if (typeof value === 'string' && /^smtps?:\/\/./.test(value) && URL.canParse(value)) return value
  throw new TypeError('must be smtp://… or smtps://user:password@host:465')
}

/**
 * Checks a sender.
 * @param value - as given
 * @returns the same
 * @throws TypeError when it is none
 */
export function parseMailFrom(value: unknown): string {
  if (typeof value === 'string' && sender.test(value)) return value
  throw new TypeError('must be an address such as Blog <no-reply@example.com>')
}

const sender = /^(?:[^\s<>@]+@[^\s<>@]+|[^\r\n<>]*<[^\s<>@]+@[^\s<>@]+>)$/

/**
 * Checks the address of a front end.
 * @param value - as given
 * @returns the same
 * @throws TypeError when it is none of http or https
 */
export function parseAppUrl(value: unknown): string {
  if (typeof value === 'string' && /^https?:\/\/./.test(value) && URL.canParse(value)) return value
  throw new TypeError('must be an address such as https://app.example.com')
}
