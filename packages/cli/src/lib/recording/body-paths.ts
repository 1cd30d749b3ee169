export type Path = readonly string[]

// `data.*.views` is a member of each item, `**.views` one at any depth. `$.` and `[*]` are accepted as well.
export function parsePath(text: string): Path {
  return text
    .replace(/^\$\.?/, '')
    .replace(/\[(\*|\d+)\]/g, '.$1')
    .split('.')
    .filter((part) => part !== '')
}

export function matchesPath(pattern: Path, path: Path): boolean {
  const [first, ...rest] = pattern
  if (first === undefined) return path.length === 0
  if (first === '**') {
    return path.some((_, index) => matchesPath(rest, path.slice(index))) || rest.length === 0
  }
  const [head, ...tail] = path
  return head !== undefined && (first === '*' || first === head) && matchesPath(rest, tail)
}

export function formatPath(path: Path): string {
  return path
    .map((part, index) => (/^\d+$/.test(part) ? `[${part}]` : index === 0 ? part : `.${part}`))
    .join('')
}
