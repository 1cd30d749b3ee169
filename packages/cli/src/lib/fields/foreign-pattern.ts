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

// Whether a short text that almost matches can block a process, as with ^(a+)+$: texts that repeat one or two of the
// characters in question, and end with another.
export function isCostly(source: string): boolean {
  const known = costly.get(source) ?? blocks(source)
  costly.set(source, known)
  return known
}

const costly = new Map<string, boolean>()

function blocks(source: string): boolean {
  const plain = Array.from(source.replaceAll(/\\./gu, '')).filter((char) =>
    /[^\p{C}()[\]{}?*+|^$\\]/u.test(char),
  )
  const chars = [...new Set([...Array.from('a0A _-.'), ...plain])].slice(0, 20)
  const pairs = chars.flatMap((first) => chars.map((second) => first + second))
  const repeated = [
    ...chars.map((char) => char.repeat(40)),
    ...pairs.map((pair) => pair.repeat(20)),
  ]
  return (
    findMatches(
      source,
      repeated.map((start) => `${start}\0`),
    ) === undefined
  )
}
