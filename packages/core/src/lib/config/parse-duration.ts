const msPerUnit: Readonly<Record<string, number>> = {
  ms: 1,
  s: 1000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
}

// Anything longer is a slip of the keyboard: 15000000 for 15000.
const longest = 400 * 86_400_000

/**
 * Reads a duration strictly: `15m`, `1h`, `250ms`; without a unit it is in seconds.
 * @param value - whole seconds, or digits with a unit of ms, s, m, h or d
 * @param name - what the message calls it
 * @returns whole milliseconds
 * @throws TypeError when it is anything else, or longer than 400 days
 */
export function parseDuration(value: unknown, name = 'duration'): number {
  const [, digits = '', unit = 's'] = /^(\d{1,15})(ms|s|m|h|d)?$/.exec(String(value)) ?? []
  const ms = Number(digits) * (msPerUnit[unit] ?? 1)
  if (digits !== '' && ms <= longest) return ms
  throw new TypeError(`${name} must be a duration such as 900, 15m, 1h or 250ms, of at most 400d.`)
}
