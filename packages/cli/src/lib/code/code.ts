const width = 100

/**
 * A piece of an expression that can be written on one line or over several, as the project's
 * formatter would.
 */
export interface Code {
  /** On one line. */
  readonly flat: string
  /** Over several lines; `indent` is the indentation of the line it begins on. */
  readonly broken: (indent: string) => string
  /** Levels of nesting; from 2 on a formatter calls an argument complex. */
  readonly depth: number
  /** True for a list or an object, which hugs the parentheses of a call. */
  readonly hugs?: boolean
  /** True for what is written over several lines even when it fits on one. */
  readonly breaks?: boolean
}

/** One call of a chain: `.min(1)`. */
export interface Call {
  readonly name: string
  readonly args: readonly Code[]
}

/**
 * Writes a piece at its place in a line.
 *
 * @param code the piece
 * @param indent indentation of the line
 * @param around columns used on the line before and behind it, the indentation not counted
 * @returns the text, without the indentation of its first line
 */
export function print(code: Code, indent: string, around: number): string {
  const fits = indent.length + around + code.flat.length <= width
  return fits && !code.breaks ? code.flat : code.broken(indent)
}

/**
 * Makes a piece that is never broken: a name or a literal.
 *
 * @param source the name or literal
 * @param depth 0, or more for what a formatter calls complex
 * @returns the piece
 */
export function atom(source: string, depth = 0): Code {
  return { flat: source, broken: () => source, depth }
}

/**
 * Makes a string literal.
 *
 * @param value the string
 * @returns the piece, in the quotes that need fewer escapes
 */
export function text(value: string): Code {
  return atom(quote(value))
}

/**
 * Writes a string literal.
 *
 * @param value the string
 * @returns the literal, in the quotes that need fewer escapes
 */
export function quote(value: string): string {
  const escaped = JSON.stringify(value).slice(1, -1).replaceAll('\\"', '"')
  const single = escaped.split("'").length
  const double = escaped.split('"').length
  if (single > double) return `"${escaped.replaceAll('"', '\\"')}"`
  return `'${escaped.replaceAll("'", "\\'")}'`
}

/**
 * Makes a number literal, its digits grouped from five on.
 *
 * @param value the number
 * @returns the piece
 */
export function number(value: number): Code {
  const [whole = '', fraction] = String(value).split('.')
  const digits = whole.replace('-', '')
  const grouped = digits.length > 4 ? digits.replaceAll(/\B(?=(\d{3})+$)/g, '_') : digits
  const sign = value < 0 ? '-' : ''
  return atom(sign + grouped + (fraction === undefined ? '' : `.${fraction}`))
}

/**
 * Makes a regular expression literal.
 *
 * @param source its source, as `RegExp.prototype.source` gives it
 * @returns the piece
 */
export function regex(source: string): Code {
  return atom(`/${source}/`, source.length > 5 ? 2 : 0)
}

/**
 * Makes a list.
 *
 * @param items its items
 * @returns the piece
 */
export function list(items: readonly Code[]): Code {
  return {
    flat: `[${items.map(({ flat }) => flat).join(', ')}]`,
    broken: (indent) =>
      brokenLines(
        '[',
        items.map((item) => [item, '']),
        { indent, end: ']' },
      ),
    depth: nested(items),
    hugs: items.length > 0,
  }
}

/**
 * Makes an object with plain keys.
 *
 * @param entries its keys and values; a key alone stands for the variable of its name
 * @returns the piece
 */
export function object(entries: readonly (readonly [key: string, value?: Code])[]): Code {
  const members = entries.map(([key, value]): readonly [Code, string] =>
    value === undefined ? [atom(key), ''] : [value, `${key}: `],
  )
  return {
    flat: `{ ${members.map(([{ flat }, label]) => label + flat).join(', ')} }`,
    broken: (indent) => brokenLines('{', members, { indent, end: '}' }),
    depth: nested(members.map(([value]) => value)),
    hugs: true,
  }
}

/**
 * Makes a call of a function or a class: `new Schema({}, {})`.
 *
 * @param callee what is called
 * @param args its arguments
 * @returns the piece; an object alone at the end of the arguments hugs the parentheses
 */
export function invoke(callee: string, args: readonly Code[]): Code {
  const items = args.map((item): readonly [Code, string] => [item, ''])
  const before = args.slice(0, -1)
  const last = args.at(-1)
  const hugged = last?.hugs && !before.at(-1)?.hugs ? last : undefined
  const start = `${callee}(${before.map(({ flat }) => `${flat}, `).join('')}`
  return {
    flat: `${callee}(${args.map(({ flat }) => flat).join(', ')})`,
    broken: (indent) =>
      hugged === undefined
        ? brokenLines(`${callee}(`, items, { indent, end: ')' })
        : `${start}${hugged.broken(indent)})`,
    depth: nested(args),
  }
}

/**
 * Makes a chain of calls: `z.string().trim()`.
 *
 * @param head what the first call is made on
 * @param calls the calls
 * @returns the piece
 */
export function chain(head: string, calls: readonly Call[]): Code {
  const args = calls.flatMap((call) => call.args)
  const flat = head + calls.map(flatCall).join('')
  return {
    flat,
    broken: (indent) => brokenChain(head, calls, indent),
    depth: nested(args),
    // What formatters do since Prettier 2: more than two calls and one of them is not plain.
    breaks: (calls.length > 2 && args.some(({ depth }) => depth > 1)) || args.some((a) => a.breaks),
  }
}

function nested(parts: readonly Code[]): number {
  return parts.length === 0 ? 0 : 1 + Math.max(...parts.map(({ depth }) => depth))
}

function flatCall({ name, args }: Call): string {
  return `.${name}(${args.map(({ flat }) => flat).join(', ')})`
}

function brokenChain(head: string, calls: readonly Call[], indent: string): string {
  const [first] = calls
  if (calls.length === 1 && first !== undefined) return head + breakCall(first, indent)
  const inner = `${indent}  `
  return [head, ...calls.map((call) => inner + printCall(call, inner))].join('\n')
}

function printCall(call: Call, indent: string): string {
  const flat = flatCall(call)
  const mustBreak = call.args.some(({ breaks }) => breaks)
  // One column for the comma behind the statement.
  const fits = indent.length + flat.length + 1 <= width
  return fits && !mustBreak ? flat : breakCall(call, indent)
}

function breakCall(call: Call, indent: string): string {
  const [only] = call.args
  if (call.args.length === 1 && only?.hugs) return `.${call.name}(${only.broken(indent)})`
  return brokenLines(
    `.${call.name}(`,
    call.args.map((item) => [item, '']),
    { indent, end: ')' },
  )
}

interface Frame {
  readonly indent: string
  readonly end: string
}

function brokenLines(
  start: string,
  items: readonly (readonly [Code, string])[],
  { indent, end }: Frame,
): string {
  const inner = `${indent}  `
  const lines = items.map(
    ([item, label]) => `${inner}${label}${print(item, inner, label.length + 1)},`,
  )
  return [start, ...lines, indent + end].join('\n')
}
