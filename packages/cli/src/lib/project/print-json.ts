const width = 100

/**
 * Writes JSON the way the project's formatter leaves it: objects over several lines, short lists on
 * one.
 *
 * @param value plain data
 * @returns the text, with a final newline
 */
export function printJson(value: unknown): string {
  return `${print(value, '', 0)}\n`
}

// `used` is what stands before the value on its line.
function print(value: unknown, indent: string, used: number): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  return Array.isArray(value)
    ? printList(value, indent, used)
    : printObject(Object.entries(value), indent)
}

function printObject(entries: readonly (readonly [string, unknown])[], indent: string): string {
  const inner = `${indent}  `
  const lines = entries
    .filter(([, value]) => value !== undefined)
    .map(([key, value]) => {
      const head = `${inner}${JSON.stringify(key)}: `
      return head + print(value, inner, head.length)
    })
  return lines.length === 0 ? '{}' : `{\n${lines.join(',\n')}\n${indent}}`
}

function printList(items: readonly unknown[], indent: string, used: number): string {
  const flat = `[${items.map((item) => JSON.stringify(item)).join(', ')}]`
  const simple = items.every((item) => typeof item !== 'object' || item === null)
  // One more column for the comma behind it.
  if (simple && used + flat.length + 1 <= width) return flat
  const inner = `${indent}  `
  const lines = items.map((item) => inner + print(item, inner, inner.length))
  return `[\n${lines.join(',\n')}\n${indent}]`
}
