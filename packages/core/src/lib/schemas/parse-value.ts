import { core, type output, type ZodType } from 'zod'
import { zodParseOptions } from '../errors/describe-issue.ts'

export type Parsed<Value> =
  | { readonly issues: undefined; readonly value: Value }
  | { readonly issues: readonly core.$ZodIssue[]; readonly value: undefined }

// Does what `schema.safeParse(value, zodParseOptions)` does, without a ZodError: creating one, and the property that
// creates it when it is read, takes longer than finding the issues.
export function parseValue<S extends ZodType>(schema: S, value: unknown): Parsed<output<S>> {
  // Compiled schemas write into it.
  const context = { ...zodParseOptions }
  const { _zod: internals } = schema
  const result = internals.run({ value, issues: [] }, context)
  if (result instanceof Promise) throw new core.$ZodAsyncError()
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- without issues it is the output of the schema
  if (result.issues.length === 0) return { issues: undefined, value: result.value as output<S> }
  const config = core.config()
  return {
    issues: result.issues.map((issue) => core.util.finalizeIssue(issue, context, config)),
    value: undefined,
  }
}
