const width = 100

/**
 * Writes an import of named things, over several lines when it is longer than one.
 *
 * @param names what to import; `type Post` for a type
 * @param specifier the module
 * @returns the statement; nothing without names
 */
export function importCode(names: readonly string[], specifier: string): string {
  if (names.length === 0) return ''
  const sorted = names.toSorted(byName)
  const flat = `import { ${sorted.join(', ')} } from '${specifier}'`
  if (flat.length <= width || sorted.length === 1) return flat
  return `import {\n${sorted.map((name) => `  ${name},\n`).join('')}} from '${specifier}'`
}

/**
 * Chooses names by conditions.
 *
 * @param choices a condition and the names it brings
 * @returns the names whose condition holds
 */
export function pickNames(
  choices: readonly (readonly [boolean, ...string[]])[],
): readonly string[] {
  return choices.flatMap(([holds, ...names]) => (holds ? names : []))
}

/** A function as its first line says it. */
export interface FunctionHead {
  readonly name: string
  readonly params: readonly string[]
  readonly returns: string
  /** @default true */
  readonly async?: boolean | undefined
}

/**
 * Writes the head of an exported function, over several lines when it is longer than one.
 *
 * @param head name, parameters and type
 * @returns everything before the opening brace
 */
export function functionHead(head: FunctionHead): string {
  const start = `export ${head.async === false ? '' : 'async '}function ${head.name}(`
  const end = `): ${head.returns}`
  const flat = start + head.params.join(', ') + end
  if (flat.length + ' {'.length <= width) return flat
  return `${start}\n${head.params.map((param) => `  ${param},\n`).join('')}${end}`
}

// By name, as people read it: neither `type` nor capitals count.
function byName(a: string, b: string): number {
  const left = a.replace(/^type /, '')
  const right = b.replace(/^type /, '')
  const order = compare(left.toLowerCase(), right.toLowerCase())
  return order === 0 ? compare(right, left) : order
}

function compare(a: string, b: string): number {
  if (a === b) return 0
  return a < b ? -1 : 1
}
