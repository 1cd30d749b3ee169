import { z } from 'zod'
import { toMultipartPlan } from '../uploads/multipart.ts'
import { askFieldRules } from './refused-rules.ts'
import { type ApiRequest } from '../route/request.ts'
import { findFieldRules } from '../schemas/restrict.ts'
import { type Route, toResponses } from '../route/route.ts'
import { callerQueries, type FieldRule } from '../schemas/schema-marks.ts'
import { createStage, type Stage } from '../stage/stage.ts'

// Runs after `requireAccess`: decides which restricted fields the caller may read and write. Throws TypeError
// for restrictions that could not be enforced.
export function decideFields(route: Route, name: string): Stage[] {
  const written = findFieldRules(route.body, 'writable')
  const fieldRules = [...written, ...findReadRules(route)]
  const [first] = fieldRules
  if (!first) return []
  if (written.length > 0) requireRestrictable(route, written, name)
  if (route.access === 'public') {
    throw new TypeError(
      `The field '${first.field}' of ${name} is restricted by '${first.rule.name}', but the route is public: its caller is never loaded. Use access: 'optional'.`,
    )
  }
  return [createStage((req: ApiRequest) => askFieldRules(fieldRules, req))]
}

// The rules of what the route sends, and of what its query compares.
export function findReadRules(route: Route): FieldRule[] {
  const responses = [...toResponses(route).values()]
  return [
    ...responses.flatMap((response) => findFieldRules(response, 'readable')),
    ...((route.query && callerQueries.get(route.query)?.rules) ?? []),
  ]
}

function requireRestrictable({ body }: Route, written: readonly FieldRule[], name: string): void {
  const nested = written.find(({ field }) => !isMember(body, field))
  if (nested) {
    throw new TypeError(
      `The field '${nested.field}' of the body of ${name} is restricted, but not a member of the body itself. Restrict the whole member, or add writable: 'public' if only reading is restricted.`,
    )
  }
  const isMultipart = body !== undefined && toMultipartPlan(body) !== undefined
  if (isMultipart || !isClosed(body)) {
    const fields = written.map(({ field }) => `'${field}'`).join(', ')
    throw new TypeError(
      `The body of ${name} has restricted fields (${fields}), so it must be JSON described by z.strictObject.`,
    )
  }
}

function isMember(body: Route['body'], field: string): boolean {
  return body instanceof z.ZodObject && Object.hasOwn(body.shape, field)
}

// Whether unknown members are rejected or dropped.
function isClosed(body: Route['body']): boolean {
  const rest = body instanceof z.ZodObject ? body.def.catchall : undefined
  return rest === undefined || rest instanceof z.ZodNever
}
