/** A segment of a path: text, one that may be anything, one of a certain form, or the rest of the path. */
type Segment = { readonly text: string } | 'any' | 'form' | 'rest'

// Whether every request that matches the path `below` matches `above`. False where that is not certain.
export function covers(above: string, below: string, prefixes: boolean): boolean {
  const outer = toSegments(above)
  const inner = toSegments(below)
  for (const [index, segment] of outer.entries()) {
    if (segment === 'rest') return inner.length > index
    const other = inner[index]
    if (other === undefined || other === 'rest') return false
    if (segment === 'form') return false
    if (segment !== 'any' && (typeof other === 'string' || other.text !== segment.text))
      return false
  }
  return prefixes || outer.length === inner.length
}

// Express compares text without regard to case.
function toSegments(path: string): readonly Segment[] {
  const parts = path.split('/').filter((part) => part !== '')
  return parts.map((part): Segment => {
    if (/^:\w+$/.test(part)) return 'any'
    if (/^(\*\w*|\{\*\w+\}|\(\.\*\))$/.test(part)) return 'rest'
    return /[:*?+(){}[\]]/.test(part) ? 'form' : { text: part.toLowerCase() }
  })
}

/** A parameter of a path. */
export interface PathParameter {
  readonly name: string
  /** Regular expression of Express 4, as in `:id(\\d+)`. */
  readonly pattern?: string
}

// Templates of OpenAPI for a path of Express: one for each way to leave out an optional part. None if it has parts that
// OpenAPI cannot express, such as wildcards.
export function toTemplates(path: string): readonly Template[] | undefined {
  const optional = /\{([^{}]*)\}|\/:(\w+)(\([^()]*\))?\?/.exec(path)
  if (optional) {
    const [whole, braces] = optional
    const before = path.slice(0, optional.index)
    const after = path.slice(optional.index + whole.length)
    const ways = [before + after, before + (braces ?? whole.slice(0, -1)) + after]
    const templates = ways.map((way) => toTemplates(way === '' ? '/' : way))
    return templates.every((one) => one !== undefined) ? templates.flat() : undefined
  }
  const parameters: PathParameter[] = []
  const template = path.replace(/:(\w+)(?:\(([^()]*)\))?/g, (_, name: string, pattern?: string) => {
    parameters.push(pattern === undefined ? { name } : { name, pattern })
    return `\u0000${name}\u0001`
  })
  if (/[*?+(){}[\]:]/.test(template)) return undefined
  return [{ path: template.replaceAll('\u0000', '{').replaceAll('\u0001', '}'), parameters }]
}

export interface Template {
  readonly path: string
  readonly parameters: readonly PathParameter[]
}
