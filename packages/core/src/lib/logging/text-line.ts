// Formats a JSON line for a terminal: time, level, message and fields, then the error.
export function formatTextLine(json: string): string {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- written by the logger
  const { level, time, msg, err, ...rest } = JSON.parse(json) as Record<string, unknown>
  const fields = Object.entries(rest).map(([key, value]) => ` ${key}=${JSON.stringify(value)}`)
  const clock = String(time).slice(11, 19)
  const line = `${clock} ${String(level).toUpperCase()} ${String(msg)}${fields.join('')}`
  if (err === undefined) return escapeControls(line)
  return escapeControls(`${line}\n${isError(err) ? describeStack(err) : JSON.stringify(err)}`)
}

// All controls but the ends of lines and tabs, and what shows text in another order than it is written.
const controls = /(?!\n|\t)[\p{Cc}\u202A-\u202E\u2066-\u2069]/gu

// An escape sequence in what a client sent would be a command to the terminal.
function escapeControls(text: string): string {
  return text.replaceAll(
    controls,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}

interface PlainError {
  readonly stack: string
  readonly cause?: unknown
}

function isError(value: unknown): value is PlainError {
  return typeof value === 'object' && value !== null && 'stack' in value
}

function describeStack({ stack, cause }: PlainError): string {
  return isError(cause) ? `${stack}\ncaused by ${describeStack(cause)}` : stack
}
