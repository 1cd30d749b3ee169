import { type Schema } from 'mongoose'
import { type AuditOptions } from './audit-options.ts'

/** The members of a path; the items of an array have the path of the array. */
export type Path = readonly string[]

// The fields of a model that are masked or left out.
export interface Masks {
  /** Whether only the fact of a change is recorded. */
  isMasked(path: Path): boolean
  /** Whether nothing is. */
  isLeftOut(path: Path): boolean
}

const secretName =
  /passw|passphrase|secret|token|credential|(?:api|private|signing|encryption)[-_]?key|otp$/i

// Any member of a map.
const anyMember = '$*'

export function createMasks(schema: Schema, options: AuditOptions): Masks {
  const { except = [], mask = [], unmask = [] } = options
  const masked = [...findUnselected(schema, []), ...mask.map(toPath)]
  const shown = unmask.map(toPath)
  const leftOut = [...except.map(toPath), ...findCounters(schema)]
  return {
    isMasked: (path) =>
      masked.some((pattern) => matches(pattern, path)) ||
      (secretName.test(path.at(-1) ?? '') && !shown.some((pattern) => matches(pattern, path))),
    isLeftOut: (path) => leftOut.some((pattern) => matches(pattern, path)),
  }
}

function toPath(text: string): Path {
  return text.split('.')
}

function matches(pattern: Path, path: Path): boolean {
  return (
    pattern.length === path.length &&
    pattern.every((name, at) => name === anyMember || name === path[at])
  )
}

// Id, version and times, which the entry itself contains.
function findCounters(schema: Schema): Path[] {
  const { timestamps, versionKey } = schema.options
  const names = typeof timestamps === 'object' ? timestamps : {}
  const times = timestamps
    ? [names.createdAt ?? 'createdAt', names.updatedAt ?? 'updatedAt'].filter(isText)
    : []
  return [['_id'], ...[versionKey, ...times].filter(isText).map((name) => [name])]
}

function isText(value: unknown): value is string {
  return typeof value === 'string'
}

interface SchemaType {
  readonly options?: { readonly select?: unknown }
  readonly schema?: Schema
  getEmbeddedSchemaType?(): SchemaType | undefined
}

// The paths with `select: false`, in nested schemas and their discriminators, too.
function findUnselected(schema: Schema, above: Path): Path[] {
  const own = Object.entries<SchemaType>(schema.paths).flatMap(([name, type]) => {
    const path = [...above, ...toPath(name)]
    const item = type.getEmbeddedSchemaType?.()
    const isHidden = [type, item].some((it) => it?.options?.select === false)
    const nested = type.schema ?? item?.schema
    return isHidden ? [path] : nested ? findUnselected(nested, path) : []
  })
  const others: unknown = Reflect.get(schema, 'discriminators')
  const variants: Schema[] = Object.values(Object(others))
  return [...own, ...variants.flatMap((variant) => findUnselected(variant, above))]
}
