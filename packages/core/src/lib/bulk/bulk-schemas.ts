import { z, type ZodType } from 'zod'
import { type Route, toResponses } from '../route/route.ts'
import { descriptions, documents, problems } from '../schemas/schema-marks.ts'
import { toMembers } from '../schemas/schema-members.ts'
import { linesMediaType } from './import-lines.ts'
import { type ItemAction } from './item-actions.ts'

// The schemas of a bulk route. Bodies and data of the items are checked and converted by their own routes, so that the schemas which the
// OpenAPI document shows are others.
export function createSchemas(
  actions: readonly ItemAction[],
  limit: number,
): Required<Pick<Route, 'body' | 'response' | 'meta'>> {
  const otherTypes = [linesMediaType]
  return {
    body: descriptions.set(toBody(z.unknown(), limit), {
      schema: toBody(describeItem(actions), limit),
      otherTypes,
    }),
    response: descriptions.set(toResponse(z.unknown()), {
      schema: toResponse(describeData(actions)),
      otherTypes,
    }),
    meta: z.object({ succeeded: z.int().min(0), failed: z.int().min(0) }),
  }
}

function toBody(item: ZodType, limit: number): ZodType {
  return z.strictObject({
    atomic: z.boolean().default(false),
    items: z.array(item).min(1).max(limit),
  })
}

const problem = z.unknown()
problems.add(problem, {})

function toResponse(data: ZodType): ZodType {
  return z.array(
    z.object({
      status: z.int().min(200).max(599),
      etag: z.string().optional(),
      location: z.string().optional(),
      data: data.optional(),
      error: problem.optional(),
    }),
  )
}

function describeItem(actions: readonly ItemAction[]): ZodType {
  const [first, ...others] = actions.map(describeAction)
  return first && others.length > 0
    ? z.discriminatedUnion('action', [first, ...others])
    : (first ?? z.never())
}

function describeAction({ key, route, shape }: ItemAction): z.ZodObject {
  const { body, etag, params, requireIfMatch } = route
  const parameter = key === undefined ? undefined : params && toMembers(params, 'input')?.get(key)
  return z.strictObject({
    ...shape.shape,
    ...(key !== undefined && { [key]: parameter?.schema ?? z.string() }),
    ...(key !== undefined && etag && requireIfMatch && { ifMatch: z.string() }),
    ...(body && { body }),
  })
}

// The data of the responses of all actions.
function describeData(actions: readonly ItemAction[]): ZodType {
  const schemas = new Set(actions.flatMap(({ route }) => [...toResponses(route).values()]))
  const [first, ...others] = [...schemas].filter((schema) => schema !== undefined)
  for (const schema of schemas) if (schema instanceof z.ZodObject) documents.add(schema, {})
  return first && others.length > 0 ? z.union([first, ...others]) : (first ?? z.never())
}
