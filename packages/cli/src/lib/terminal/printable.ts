// All controls but the ends of lines and tabs, and what shows text in another order than it is written.
const controls = /(?!\r?\n|\t)[\p{Cc}\u202A-\u202E\u2066-\u2069]/gu

// Text that comes from elsewhere (a document, a file, a response), as a terminal can show it: an escape sequence in it would
// be a command to the terminal. JSON stays the same JSON.
export function printable(text: string): string {
  return text.replaceAll(
    controls,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}
