const width = 100

// The layout of the formatter: objects on several lines, short lists on one line.
export function printJson(value: unknown): string {
  return `${print(value, '', 0)}\n`
}

// `used` is the number of columns before the value on its line.
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
  // One column for a comma after it.
  if (simple && used + flat.length + 1 <= width) return flat
  const inner = `${indent}  `
  const lines = items.map((item) => inner + print(item, inner, inner.length))
  return `[\n${lines.join(',\n')}\n${indent}]`
}
