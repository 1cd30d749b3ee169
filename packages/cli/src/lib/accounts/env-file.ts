// Reads a variable as Node does: the last assignment counts, and quotes are removed.
export function readVariable(text: string, name: string): string {
  const value = findAssignment(text, name)?.value ?? ''
  return /^(["'`]).*\1$/s.test(value) ? value.slice(1, -1) : value
}

// Every other byte stays. The value must be one line without quotes or `#`.
export function setVariable(text: string, name: string, value: string): string {
  const found = findAssignment(text, name)
  if (found) return text.slice(0, found.start) + value + text.slice(found.end)
  const lineEnd = text.includes('\r\n') ? '\r\n' : '\n'
  const gap = text === '' || text.endsWith('\n') ? '' : lineEnd
  return `${text}${gap}${name}=${value}${lineEnd}`
}

interface Assignment {
  readonly start: number
  readonly end: number
  /** Value as written, quotes included. */
  readonly value: string
}

function findAssignment(text: string, name: string): Assignment | undefined {
  const head = `^\\uFEFF?[ \\t]*(?:export[ \\t]+)?${name}[ \\t]*=[ \\t]*`
  const value = `"[^"]*"|'[^']*'|\`[^\`]*\`|[^#\\r\\n]*`
  const last = [...text.matchAll(new RegExp(`(${head})(${value})`, 'gm'))].at(-1)
  if (!last) return undefined
  const [, before = '', written = ''] = last
  const start = last.index + before.length
  const trimmed = written.trimEnd()
  return { start, end: start + trimmed.length, value: trimmed }
}
