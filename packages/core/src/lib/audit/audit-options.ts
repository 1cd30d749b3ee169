/** Options of {@link auditChanges}. */
export interface AuditOptions {
  /**
   * How long entries are kept: days or years, `90d` or `2y`. `purgeAudit` removes older ones.
   * @default undefined, forever
   */
  readonly keep?: string | undefined
  /**
   * Fields whose values are not stored, besides those with `select: false` and those with names of secrets, such as
   * `password`: `['salary', 'address.street']`. The trail shows that they have changed.
   * @default []
   */
  readonly mask?: readonly string[] | undefined
  /**
   * Fields whose values are stored although they have names of secrets, such as `tokenCount`.
   * @default []
   */
  readonly unmask?: readonly string[] | undefined
  /**
   * Fields that the trail does not contain. A change of nothing else has no entry.
   * @default []
   */
  readonly except?: readonly string[] | undefined
}

const msPerDay = 86_400_000

// Milliseconds of `90d` and `2y`; undefined for no limit.
export function parseKeep(keep: string | undefined): number | undefined {
  if (keep === undefined) return undefined
  const [, digits, unit] = /^([1-9]\d{0,4})(d|y)$/.exec(keep) ?? []
  if (digits !== undefined) return Number(digits) * (unit === 'y' ? 365 : 1) * msPerDay
  throw new TypeError(`keep must be a number of days or years, such as 90d or 2y, not ${keep}.`)
}
