/** One value of a metric. */
export interface Sample {
  readonly name: string
  readonly labels: Readonly<Record<string, string>>
  readonly value: number
}

const comment = /^# (HELP|TYPE) ([a-zA-Z_:][\w:]*) (.+)$/
const sample = /^([a-zA-Z_:][\w:]*)(?:\{(.*)\})? (-?[\d.e+-]+|nan|[+-]inf)$/i
const label = /([a-zA-Z_]\w*)="((?:[^"\\\n]|\\.)*)"/g

/**
 * Reads the text format of Prometheus, version 0.0.4.
 * @param text - what was served
 * @returns the samples
 * @throws Error for a line that a scraper would not read, or a metric described twice
 */
export function parseExposition(text: string): Sample[] {
  const described = new Set<string>()
  return text.split('\n').flatMap((line) => {
    if (line === '') return []
    if (line.startsWith('#')) {
      const [, kind, name] = comment.exec(line) ?? []
      const key = `${kind} ${name}`
      if (kind === undefined || described.has(key)) throw new Error(`not in order: ${line}`)
      described.add(key)
      return []
    }
    const [, name, labels = '', value] = sample.exec(line) ?? []
    if (name === undefined) throw new Error(`not in order: ${line}`)
    const pairs = [...labels.matchAll(label)].map(([, key = '', named = '']) => [key, named])
    return [{ name, labels: Object.fromEntries(pairs), value: Number(value) }]
  })
}

/**
 * Finds the value of one metric.
 * @param samples - all
 * @param name - of the metric
 * @param labels - that it must have
 * @returns the sum of those that have them; undefined for none
 */
export function valueOf(
  samples: readonly Sample[],
  name: string,
  labels: Readonly<Record<string, string>> = {},
): number | undefined {
  const found = samples.filter(
    (one) =>
      one.name === name && Object.entries(labels).every(([key, text]) => one.labels[key] === text),
  )
  return found.length === 0 ? undefined : found.reduce((sum, { value }) => sum + value, 0)
}
