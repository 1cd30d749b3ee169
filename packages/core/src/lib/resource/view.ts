import { type core, z, type ZodType } from 'zod'
import { type Access } from '../access/access.ts'
import { includes as including, views } from '../schemas/schema-marks.ts'
import { toPresent } from '../schemas/schema-members.ts'
import { type Scope } from '../access/scope.ts'
import { type IsHidden, registerCallerQuery } from './caller-query.ts'
import { listLimits } from './list-limits.ts'

/** A reference whose documents a client may include. */
export interface Include {
  /** The output schema of the referenced documents' resource. */
  readonly response: z.ZodObject
  /** Who can read them, and which: the access of their resource. */
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
   * References that a client can include with `include=author`, at most 5; the field needs a `ref` in
   * the model. Included documents include nothing themselves.
   * @default {}
   */
  include?: { readonly [K in keyof S & string]?: Include } | undefined
}

/** The fields and includes that a client chose, parsed. */
export interface ViewQuery {
  /** The chosen fields; undefined for all. */
  readonly fields?: readonly string[] | undefined
  /** The chosen includes. */
  readonly include?: readonly ChosenInclude[] | undefined
}

/** An include that a client requested. */
export interface ChosenInclude extends Include {
  /** The field that refers to it. */
  readonly field: string
  /**
   * The documents that the caller can read; set by the route.
   * @default undefined
   */
  readonly scope?: Scope | undefined
}

/** The fields and includes of a resource that clients can choose. */
export interface View {
  /** Schema of each query parameter, by its name. */
  readonly shape: Readonly<Record<string, ZodType>>
  /** Converts parsed query parameters. */
  readonly toQuery: (query: Readonly<Record<string, unknown>>) => ViewQuery
  /** The schema of a query with these parameters and no others. */
  readonly query: ZodType<ViewQuery>
  /** The schema of one document of the response: with `fields` every field but `id` is optional. */
  readonly response: z.ZodObject
  /** Fields that the parameters name. */
  readonly names: readonly string[]
  /** Returns the parameters of a caller who may not read some fields. */
  readonly toVisible: (isHidden: (field: string) => boolean) => View['shape']
}

/**
 * Defines which fields and includes of a resource clients can choose: `?fields=title` reads only these
 * fields from the database, `?include=author` adds the referenced documents as `included.author`. A
 * view has no `ETag`, because it is not the whole document that has the version.
 * @param output - the schema of one document, created with `toOutputSchema`
 * @param options - fields and includes
 * @returns the view: pass it to `defineListQuery`, or use its `query` and `response` in a GET route
 * @throws TypeError when a field is not in the output or there are too many includes
 * @example
 * ```ts
 * import { author, post } from './posts.validation.js'
 *
 * export const postView = defineView(post, {
 *   fields: ['title', 'createdAt'],
 *   include: { author: { response: author, access: 'owner' } },
 * })
 * ```
 */
export function defineView<S extends core.$ZodLooseShape>(
  output: z.ZodObject<S>,
  options: ViewOptions<S>,
): View {
  const { fields = [], include = {} } = options
  const shape: core.$ZodShape = output.shape
  const includes = new Map<string, Include | undefined>(Object.entries(include))
  for (const field of [...fields, ...includes.keys()]) {
    if (!Object.hasOwn(shape, field))
      throw new TypeError(`A view has no '${field}': the output has no such field.`)
  }
  if (includes.size > listLimits.includes) {
    throw new TypeError(
      `A view has at most ${listLimits.includes} includes: each one is another query.`,
    )
  }
  const toVisible: View['toVisible'] = (isHidden) => {
    const [chosen, included] = [fields, [...includes.keys()]].map((names) =>
      names.filter((name) => !isHidden(name)),
    )
    return { ...toChoice('fields', chosen), ...toChoice('include', included) }
  }
  const toQuery: View['toQuery'] = (query) => ({
    fields: toNames(query['fields']),
    include: toNames(query['include'])?.flatMap((field) => toChosen(field, includes.get(field))),
  })
  const seen = z.object(fields.length > 0 ? toSparse(shape) : shape)
  const response = includes.size > 0 ? seen.extend(toIncluded(shape, includes)) : seen
  const create = (isHidden: IsHidden): View['query'] =>
    z.strictObject(toVisible(isHidden)).transform(toQuery)
  const query = create(() => false)
  const names = [...fields, ...includes.keys()]
  views.add(response, {})
  including.add(query, {})
  registerCallerQuery(query, shape, { fields: names, create })
  return { shape: toVisible(() => false), toQuery, query, response, names, toVisible }
}

function toChoice(parameter: string, names: readonly string[] = []): View['shape'] {
  return names.length > 0 ? { [parameter]: toListParameter(names).optional() } : {}
}

/**
 * Creates the Mongoose projection of a view, so that only the chosen fields are read.
 * @param query - the parsed query
 * @param query.fields - the chosen fields
 * @param query.include - the chosen includes, whose fields are read too
 * @param others - additional fields to read
 * @returns the projection; null for the whole document
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
    const isList = toPresent(shape[field] ?? response) instanceof z.ZodArray
    return [field, (isList ? z.array(response) : response.nullable()).optional()] as const
  })
  return { included: z.object(Object.fromEntries(members)).optional() }
}
