import { type Schema } from 'mongoose'

/** The members of a path; the items of an array have the path of the array. */
export type Path = readonly string[]

const secretName =
  /passw|passphrase|secret|token|credential|(?:api|private|signing|encryption)[-_]?key|otp$/i

// Any member of a map.
const anyMember = '$*'

export function hasSecretName(path: Path): boolean {
  return secretName.test(path.at(-1) ?? '')
}

export function matchesPath(pattern: Path, path: Path): boolean {
  return (
    pattern.length === path.length &&
    pattern.every((name, at) => name === anyMember || name === path[at])
  )
}

interface SchemaType {
  readonly options?: { readonly select?: unknown }
  readonly schema?: Schema
  getEmbeddedSchemaType?(): SchemaType | undefined
}

// The paths with `select: false`, in nested schemas and their discriminators, too.
export function findUnselected(schema: Schema, above: Path = []): Path[] {
  const own = Object.entries<SchemaType>(schema.paths).flatMap(([name, type]) => {
    const path = [...above, ...name.split('.')]
    const item = type.getEmbeddedSchemaType?.()
    const isHidden = [type, item].some((it) => it?.options?.select === false)
    const nested = type.schema ?? item?.schema
    return isHidden ? [path] : nested ? findUnselected(nested, path) : []
  })
  const others: unknown = Reflect.get(schema, 'discriminators')
  const variants: Schema[] = Object.values(Object(others))
  return [...own, ...variants.flatMap((variant) => findUnselected(variant, above))]
}
