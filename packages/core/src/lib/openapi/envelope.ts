import { type core } from 'zod'
import { dataSource, metaSource, type Place, type Template } from '../response/envelope.ts'
import { type JsonObject } from './schema-components.ts'

export interface BodyParts {
  readonly data: JsonObject
  readonly meta: JsonObject | undefined
  /** Translates the schema of a member. */
  toMember(schema: core.$ZodType): JsonObject
}

// The schema of a whole body.
export function toBodySchema(template: Template, parts: BodyParts): JsonObject {
  if (template.kind === 'constant') return toConstant(template.value)
  if (template.kind === 'read') return toPlaceSchema(template, parts)
  if (template.kind === 'map') return { type: 'array', items: toBodySchema(template.to, parts) }
  if (template.kind === 'list') return toTuple(template.items, parts)
  const required = template.members.filter(([, member]) => !mayBeMissing(member))
  return {
    type: 'object',
    properties: Object.fromEntries(
      template.members.map(([key, member]) => [key, toBodySchema(member, parts)]),
    ),
    ...(required.length > 0 && { required: required.map(([key]) => key) }),
  }
}

function toConstant(value: string | number | boolean | null): JsonObject {
  const type = value === null ? 'null' : Number.isInteger(value) ? 'integer' : typeof value
  return { type, const: value }
}

function toTuple(items: readonly Template[], parts: BodyParts): JsonObject {
  const count = items.length
  const prefixItems = items.map((item) => toBodySchema(item, parts))
  return { type: 'array', prefixItems, minItems: count, maxItems: count }
}

function toPlaceSchema({ path, schema, source }: Place, parts: BodyParts): JsonObject {
  if (path.length === 0 && source === dataSource) return parts.data
  if (path.length === 0 && source === metaSource) return parts.meta ?? {}
  return schema ? parts.toMember(schema) : {}
}

function mayBeMissing(template: Template): boolean {
  return (template.kind === 'read' || template.kind === 'map') && template.optional
}

// JSON Pointer to a member of the data in a body: `/data/id`.
export function toDataPointer(template: Template, name: string): string | undefined {
  if (template.kind === 'read' && template.source === dataSource) {
    const [first, ...below] = template.path
    if (first === undefined) return `/${name}`
    return first === name && below.length === 0 ? '' : undefined
  }
  if (template.kind !== 'object') return undefined
  for (const [key, member] of template.members) {
    const pointer = toDataPointer(member, name)
    if (pointer !== undefined) return `/${key}${pointer}`
  }
  return undefined
}
