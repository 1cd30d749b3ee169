import { type core } from 'zod'
import { restrictions } from '../schemas/schema-marks.ts'

// What the document says of a restricted field. It describes the API to every caller, so it names the rules.
export function describeRestriction(
  field: core.$ZodType,
  json: { readonly description?: unknown },
): object {
  const restriction = restrictions.get(field)
  if (!restriction) return {}
  const { readable, writable } = restriction
  const sentences = [
    json.description,
    readable && `Read by: ${readable.name}.`,
    writable && `Written by: ${writable.name}.`,
  ]
  return {
    description: sentences.filter(Boolean).join(' '),
    ...(readable && { 'x-readable': readable.name }),
    ...(writable && { 'x-writable': writable.name }),
  }
}
