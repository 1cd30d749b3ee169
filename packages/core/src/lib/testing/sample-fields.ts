import { z } from 'zod'

// Values for the own fields that a registration requires: for each field the first one that its schema
// accepts. Throws Error for a field without one.
export function createSampleFields(
  { shape }: z.ZodObject,
  given: Readonly<Record<string, unknown>>,
  unique: string,
): Record<string, unknown> {
  const fields = { ...given }
  for (const [name, schema] of Object.entries(shape)) {
    const isMissing = !Object.hasOwn(fields, name) && !z.safeParse(schema, undefined).success
    if (isMissing) fields[name] = findSample(name, schema, unique)
  }
  return fields
}

function findSample(name: string, schema: z.core.$ZodType, unique: string): unknown {
  const now = new Date()
  const samples = [
    ...(schema instanceof z.ZodEnum ? schema.options : []),
    `${name}_${unique}`,
    `a${unique}`,
    `a${unique.slice(0, 7)}`,
    `user-${unique}@example.org`,
    `https://example.org/${unique}`,
    `+49151${Number.parseInt(unique.slice(0, 6), 16)}`,
    now.toISOString(),
    now.toISOString().slice(0, 10),
    crypto.randomUUID(),
    Number.parseInt(unique.slice(0, 6), 16),
    1,
    true,
    now,
    [],
    {},
  ]
  const sample = samples.find((value) => z.safeParse(schema, value).success)
  if (sample !== undefined) return sample
  throw new Error(
    `signUp() has no value for the user field '${name}' that its schema accepts. Pass one: createTestClient(api, { fields: (unique) => ({ ${name}: … }) }).`,
  )
}
