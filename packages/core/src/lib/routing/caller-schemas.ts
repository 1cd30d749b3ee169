import { type Request } from 'express'
import { type core, z, type ZodType } from 'zod'
import { type Rule } from '../access/access.ts'
import { forEachCaller } from './refused-rules.ts'
import { findFieldRules, grantedFields, toRestriction } from '../schemas/restrict.ts'
import { callerQueries } from '../schemas/schema-marks.ts'

// The query schema of each caller: one without the parameters of fields that it may not read.
export function toCallerQuery(query: ZodType | undefined): (req: Request) => ZodType | undefined {
  const restricted = query && callerQueries.get(query)
  return restricted ? forEachCaller(restricted.rules, restricted.without) : () => query
}

export interface CallerBody {
  readonly schema: ZodType
  /** Adds to a parsed body what its caller could not send. */
  readonly complete: (parsed: unknown, method: string) => unknown
}

// The body of each caller: without fields that it may not write, which are unknown fields then.
export function toCallerBody(body: ZodType): (req: Request) => CallerBody {
  const fieldRules = findFieldRules(body, 'writable')
  const whole: CallerBody = { schema: body, complete: (parsed) => parsed }
  return body instanceof z.ZodObject && fieldRules.length > 0
    ? forEachCaller(fieldRules, (refused) => narrow(body, refused))
    : () => whole
}

type Entry = readonly [name: string, field: core.$ZodType]

function narrow(body: z.ZodObject, refused: ReadonlySet<Rule>): CallerBody {
  const fields: Entry[] = Object.entries(body.def.shape)
  const isRefused = ([, field]: Entry): boolean => {
    const rule = toRestriction(field)?.writable
    return rule !== undefined && refused.has(rule)
  }
  const allowed = fields.filter((field) => !isRefused(field))
  const granted = new Set(allowed.map(([name]) => name))
  return {
    schema: body.clone({ ...body.def, shape: Object.fromEntries(allowed) }),
    complete: (parsed, method) => ({
      // A replaced document keeps what is stored.
      ...(method === 'POST' && toDefaults(fields.filter(isRefused))),
      ...Object(parsed),
      [grantedFields]: granted,
    }),
  }
}

function toDefaults(fields: readonly Entry[]): object {
  const values = fields.map(([name, field]) => [name, z.safeParse(field, undefined).data] as const)
  return Object.fromEntries(values.filter(([, value]) => value !== undefined))
}
