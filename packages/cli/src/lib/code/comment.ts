const lineEnd = /\r\n|[\n\r\u2028\u2029]/
// A reader would not see these, or the text around them in another order.
const hidden = /[\p{Cc}\p{Bidi_Control}]/gu

// A comment with this text, and the end of its line; nothing for an empty text.
export function comment(text: string): string {
  const lines = text.trim().split(lineEnd).map(formatLine)
  if (lines.join('') === '') return ''
  return lines.length === 1
    ? `/** ${lines.join('')} */\n`
    : `/**\n${lines.map((line) => ` * ${line}`.trimEnd()).join('\n')}\n */\n`
}

function formatLine(line: string): string {
  return line.replaceAll('\t', ' ').replaceAll(hidden, '').replaceAll('*/', '*\u200B/').trim()
}
