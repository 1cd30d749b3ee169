/** Whether a scenario is run in a minute or for the night. */
export type Length = 'short' | 'long'

/** One figure against its criterion. */
export interface Figure {
  readonly what: string
  readonly found: string
  readonly criterion: string
  readonly passed: boolean
  /** Whether it depends on how busy the machine is. */
  readonly isTime: boolean
}

/** One row of the fault plan. */
export interface Scenario {
  readonly id: string
  readonly title: string
  run(length: Length): Promise<readonly Figure[]>
}

/**
 * A time that has to stay under a bound.
 * @param what - what was measured
 * @param found - milliseconds
 * @param most - most it may be, in milliseconds
 * @returns the figure
 */
export function within(what: string, found: number, most: number): Figure {
  return { ...atMost(what, found, [most, 'ms']), isTime: true }
}

/**
 * A figure that has to stay under a bound.
 * @param what - what was measured
 * @param found - the figure
 * @param bound - most it may be, and its unit
 * @returns the figure
 */
export function atMost(what: string, found: number, [most, unit]: [number, string]): Figure {
  const text = `${Math.round(found * 10) / 10} ${unit}`
  const passed = found <= most
  return { what, found: text, criterion: `≤ ${most} ${unit}`, passed, isTime: false }
}

/**
 * A figure that has to be exact.
 * @param what - what was looked at
 * @param found - what was there
 * @param expected - what has to be there
 * @returns the figure
 */
export function exactly(what: string, found: unknown, expected: unknown): Figure {
  const [text, criterion] = [JSON.stringify(found), JSON.stringify(expected)]
  return { what, found: text, criterion, passed: text === criterion, isTime: false }
}

/**
 * The value that 99 of 100 stay under.
 * @param values - any order
 * @returns the value, 0 for none
 */
export function p99(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.floor(sorted.length * 0.99)] ?? sorted.at(-1) ?? 0
}
