const backslash = 0x5c

// Position of the closing quote; -1 when there is none, and the text is not JSON.
export function endOfString(text: string, start: number): number {
  let end = text.indexOf('"', start + 1)
  while (end !== -1 && isEscaped(text, end)) end = text.indexOf('"', end + 1)
  return end
}

function isEscaped(text: string, position: number): boolean {
  let before = position - 1
  while (text.charCodeAt(before) === backslash) before--
  return (position - before) % 2 === 0
}
