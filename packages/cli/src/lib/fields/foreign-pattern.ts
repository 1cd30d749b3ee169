import vm from 'node:vm'

const limitMs = 1000
const run = new vm.Script(
  "const pattern = new RegExp(source, 'u'); values.filter((value) => pattern.test(value))",
)

// The values that a pattern matches; undefined when that takes too long. A regular expression cannot be interrupted
// otherwise: the command would not end, nor react to a signal.
export function findMatches(
  source: string,
  values: readonly string[],
): readonly string[] | undefined {
  try {
    const found: readonly string[] = run.runInNewContext({ source, values }, { timeout: limitMs })
    return [...found]
  } catch (error) {
    if (Object(error).code === 'ERR_SCRIPT_EXECUTION_TIMEOUT') return undefined
    throw error
  }
}

// Whether a short text that almost matches can block a process, as with ^(a+)+$: texts that repeat what the pattern may
// repeat, and end with another character. A repeated group is also tried alone, as texts would have to begin with what is before it.
export function isCostly(source: string): boolean {
  const known = costly.get(source) ?? [source, ...findRepeatedGroups(source)].some(blocks)
  costly.set(source, known)
  return known
}

const costly = new Map<string, boolean>()

function blocks(source: string): boolean {
  const literal = source.replaceAll(/\\./gu, ' ')
  const words = literal.match(/[\p{L}\p{N}]{2,}/gu) ?? []
  const plain = literal.match(/[^\p{C}()[\]{}?*+|^$\\]/gu) ?? []
  const chars = [...new Set(['a', '0', 'A', ' ', '_', '-', '.', ...plain])].slice(0, 20)
  const pairs = chars.flatMap((first) => chars.map((second) => first + second))
  const texts = [...chars, ...pairs, ...words.slice(0, 10)].map(
    (unit) => `${unit.repeat(40)}\n\0\n`,
  )
  return findMatches(source, texts) === undefined
}

// Each group with a quantifier, as a separate pattern.
function findRepeatedGroups(source: string): string[] {
  const groups: string[] = []
  const starts: number[] = []
  for (const { 0: token, index } of source.matchAll(/\\.|\[(?:\\.|[^\]\\])*\]|[()]/gsu)) {
    if (token === '(') starts.push(index)
    if (token !== ')') continue
    const [quantifier] = /^(?:[*+]|\{\d+,\d*\})/.exec(source.slice(index + 1)) ?? []
    const group = `^${source.slice(starts.pop(), index + 1)}${quantifier}$`
    if (quantifier !== undefined && isPattern(group)) groups.push(group)
  }
  return groups
}

// A reference to another group is none on its own.
function isPattern(source: string): boolean {
  try {
    return RegExp(source, 'u') instanceof RegExp
  } catch {
    return false
  }
}
