import { type core, z, type ZodType } from 'zod'
import { type Access } from '../routing/access.ts'

/** A reference whose documents a client may include. */
export interface Include {
  /** What is shown of them: the output schema of their own resource. */
  readonly response: z.ZodObject
  /** Who may see one of them: the access of their own resource; `owner` asks their field `owner`. */
  readonly access: Access
}

/** Options for {@link defineView}. */
export interface ViewOptions<S> {
  /**
   * Fields that a client can choose among with `fields=title,createdAt`.
   * @default []
   */
  fields?: readonly (keyof S & string)[] | undefined
  /**
   * References that a client can follow with `include=author`, at most 5; the model names the other
   * model with `ref`. What is included includes nothing in turn.
   * @default {}
   */
  include?: { readonly [K in keyof S & string]?: Include } | undefined
}

/** What a client chose to see, parsed. */
export interface ViewQuery {
  /** The chosen fields; undefined for all. */
  readonly fields?: readonly string[] | undefined
  /** The chosen includes. */
  readonly include?: readonly ChosenInclude[] | undefined
}

/** An include that a client asked for. */
export interface ChosenInclude extends Include {
  /** The field that refers to it. */
  readonly field: string
}

/** What clients can choose to see of a resource. */
export interface View {
  /** The query parameters, Zod key by Zod key. */
  readonly shape: Readonly<Record<string, ZodType>>
  /** What the parsed parameters of a query ask for. */
  readonly toQuery: (query: Readonly<Record<string, unknown>>) => ViewQuery
  /** The schema of a query with these parameters and no others. */
  readonly query: ZodType<ViewQuery>
  /** What the answer holds: with `fields` every field but `id` is optional. */
  readonly response: z.ZodObject
}

const mostIncludes = 5

// The document gives them a name of their own beside the whole resource.
const views = z.registry<{}>()

/**
 * Tells the schemas that {@link defineView} made.
 * @param schema - of an answer
 * @returns true for views
 */
export function isView(schema: ZodType): boolean {
  return views.has(schema)
}

/**
 * Lets clients choose what they see of a resource: `?fields=title` reads only these fields from the
 * database, `?include=author` adds the documents that are referred to as `included.author`. A view
 * carries no `ETag`: it is less or more than the document whose version that would be.
 * @param output - the schema of one document, made with `toOutputSchema`
 * @param options - what can be chosen
 * @returns the view, for `defineListQuery`, for the query of a GET, and for `response`
 * @throws TypeError when a field is not in the output or there are too many includes
 */
export function defineView<S extends core.$ZodLooseShape>(
  output: z.ZodObject<S>,
  options: ViewOptions<S>,
): View {
  const { fields = [], include = {} } = options
  const shape: core.$ZodShape = output.shape
  const includes = new Map<string, Include | undefined>(Object.entries(include))
  for (const field of [...fields, ...includes.keys()]) {
    if (!(field in shape))
      throw new TypeError(`A view has no '${field}': the output has no such field.`)
  }
  if (includes.size > mostIncludes) {
    throw new TypeError(`A view has at most ${mostIncludes} includes: each is one more query.`)
  }
  const parameters = {
    ...(fields.length > 0 && { fields: toListParameter(fields).optional() }),
    ...(includes.size > 0 && { include: toListParameter([...includes.keys()]).optional() }),
  }
  const toQuery: View['toQuery'] = (query) => ({
    fields: toNames(query['fields']),
    include: toNames(query['include'])?.flatMap((field) => toChosen(field, includes.get(field))),
  })
  const seen = z.object(fields.length > 0 ? toSparse(shape) : shape)
  const response = includes.size > 0 ? seen.extend(toIncluded(shape, includes)) : seen
  views.add(response, {})
  return {
    shape: parameters,
    toQuery,
    query: z.strictObject(parameters).transform(toQuery),
    response,
  }
}

/**
 * Makes the projection of a view, so that only the chosen fields are read.
 * @param query - the parsed query
 * @param query.fields - the chosen fields
 * @param query.include - the chosen includes, whose fields are needed to follow them
 * @param others - fields to read besides
 * @returns what Mongoose takes as projection; null for the whole document
 */
export function toProjection(
  { fields, include = [] }: ViewQuery,
  others: readonly string[] = [],
): Record<string, 1> | null {
  if (!fields) return null
  const names = ['_id', ...fields, ...include.map(({ field }) => field), ...others]
  return Object.fromEntries(names.filter((name) => name !== 'id').map((name) => [name, 1]))
}

function toListParameter(
  names: readonly string[],
): z.ZodPipe<z.ZodString, z.ZodTransform<string[], string>> {
  const name = `(?:${names.join('|')})`
  return z
    .string()
    .regex(new RegExp(`^${name}(?:,${name})*$`), `must be some of ${names.join(', ')}`)
    .transform((text) => [...new Set(text.split(','))])
}

function toNames(value: unknown): string[] | undefined {
  return Array.isArray(value) ? value.map(String) : undefined
}

function toChosen(field: string, include: Include | undefined): ChosenInclude[] {
  return include ? [{ field, ...include }] : []
}

function toSparse({ id, ...others }: core.$ZodShape): core.$ZodShape {
  const optional = Object.entries(others).map(([key, field]) => [key, z.optional(field)])
  return { ...(id && { id }), ...Object.fromEntries(optional) }
}

function toIncluded(
  shape: core.$ZodShape,
  includes: ReadonlyMap<string, Include | undefined>,
): { included: ZodType } {
  const members = Array.from(includes, ([field, include]) => {
    const response = include?.response ?? z.object({})
    const isList = unwrap(shape[field]) instanceof z.ZodArray
    return [field, (isList ? z.array(response) : response.nullable()).optional()] as const
  })
  return { included: z.object(Object.fromEntries(members)).optional() }
}

function unwrap(schema: core.$ZodType | undefined): core.$ZodType | undefined {
  return schema instanceof z.ZodOptional || schema instanceof z.ZodNullable
    ? unwrap(schema.unwrap())
    : schema
}
