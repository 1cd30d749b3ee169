import { core, type z } from 'zod'

// The characters that `String.prototype.trim` removes. The meaning of `\s` depends on the language of the client.
const space = String.raw`\t-\r \u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000\ufeff`
const visible = `[^${space}]`
const any = String.raw`[\s\S]`

// The length of the text that is sent when a schema trims it. Zod describes the checks before and after
// `trim()` alike, but the later ones see the trimmed text: their bounds become a pattern. Empty for a
// schema that does not trim.
export function describeTrimmed({ def }: z.ZodString): object {
  const checks = def.checks ?? []
  const at = checks.findIndex(isTrim)
  if (at === -1) return {}
  const [before, after] = [toBounds(checks.slice(0, at)), toBounds(checks.slice(at))]
  const pattern = toPattern(after)
  return {
    minLength: Math.max(before.min, after.min) || undefined,
    maxLength: before.max,
    ...(pattern !== undefined && { pattern }),
  }
}

interface Bounds {
  readonly min: number
  readonly max: number | undefined
}

function isTrim({ _zod: { def } }: core.$ZodCheck<string>): boolean {
  return isOverwrite(def) && def.tx(' x ') === 'x'
}

function isOverwrite(def: core.$ZodCheckDef): def is core.$ZodCheckOverwriteDef<string> {
  return def.check === 'overwrite'
}

function toBounds(checks: readonly core.$ZodCheck<string>[]): Bounds {
  const minimums = checks.flatMap((check) =>
    check instanceof core.$ZodCheckMinLength ? [toMinimum(check)] : [],
  )
  const maximums = checks.flatMap((check) =>
    check instanceof core.$ZodCheckMaxLength ? [toMaximum(check)] : [],
  )
  return {
    min: Math.max(0, ...minimums),
    max: maximums.length === 0 ? undefined : Math.min(...maximums),
  }
}

function toMinimum({ _zod: { def } }: core.$ZodCheckMinLength): number {
  return def.minimum
}

function toMaximum({ _zod: { def } }: core.$ZodCheckMaxLength): number {
  return def.maximum
}

function toPattern({ min, max }: Bounds): string | undefined {
  if (max === undefined) {
    if (min === 0) return undefined
    return min === 1 ? visible : `${visible}${any}{${min - 2},}${visible}`
  }
  const several = `${visible}${any}{${Math.max(min - 2, 0)},${max - 2}}${visible}`
  const text =
    max === 0 ? '' : max === 1 ? visible : min < 2 ? `(?:${visible}|${several})` : several
  return `^[${space}]*${min === 0 && max > 0 ? `(?:${text})?` : text}[${space}]*$`
}
