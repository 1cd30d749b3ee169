import { compareVersions } from './releases.ts'

// The one of two ranges of versions that begins later, so that an upgrade never takes an
// application back; undefined for other values.
export function laterRange(one: unknown, other: unknown): string | undefined {
  if (!isRange(one) || !isRange(other)) return undefined
  const isLater = compareVersions(one.replace(/^[~^]/, ''), other.replace(/^[~^]/, '')) >= 0
  return isLater ? one : other
}

function isRange(value: unknown): value is string {
  return typeof value === 'string' && /^[~^]?\d+\.\d+\.\d+$/.test(value)
}
