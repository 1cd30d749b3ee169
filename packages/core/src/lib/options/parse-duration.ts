const msPerUnit: ReadonlyMap<string, number> = new Map(
  Object.entries<number>({
    ms: 1,
    s: 1000,
    m: 60_000,
    h: 3_600_000,
    d: 86_400_000,
  }),
)

// Anything longer is a typing error, such as 15000000 for 15000.
const maxMs = 400 * 86_400_000

// Milliseconds of `15m`, `1h`, `250ms` or a number of seconds. `name` is the subject of the error message.
export function parseDuration(value: unknown, name = 'duration'): number {
  const [, digits = '', unit = 's'] = /^(\d{1,15})(ms|s|m|h|d)?$/.exec(String(value)) ?? []
  const ms = Number(digits) * (msPerUnit.get(unit) ?? 1)
  if (digits !== '' && ms <= maxMs) return ms
  throw new TypeError(`${name} must be a duration such as 900, 15m, 1h or 250ms, of at most 400d.`)
}

// Whole seconds, the unit of tokens and cookies.
export function toSeconds(ms: number): number {
  return Math.ceil(ms / 1000)
}
