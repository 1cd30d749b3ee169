import { CliError } from '../errors/cli-error.ts'
import { didYouMean } from '../errors/suggest-name.ts'
import { quoteForShell } from '../terminal/quote-for-shell.ts'
import { type Field } from './fields.ts'
import { type Mapping } from './mapping.ts'

/** What becomes of the values of a record. */
export interface ColumnPlan {
  /** The field of each column that has one. */
  readonly fields: ReadonlyMap<string, Field>
  /** Columns that are left out. */
  readonly left: ReadonlySet<string>
  readonly constants: ReadonlyMap<Field, unknown>
  readonly defaults: ReadonlyMap<Field, unknown>
  /** Objects that each document must have. */
  readonly objects: readonly Field[]
  /** What was decided without being asked for. */
  readonly notes: readonly string[]
}

export interface KnownFields {
  /** The fields of the request. */
  readonly fields: readonly Field[]
  /** Fields of the response that the service sets itself. */
  readonly ofService: ReadonlySet<string>
}

// Finds the field of each column. Records without columns are passed with `undefined`: their members are fields.
export function planColumns(
  columns: readonly string[] | undefined,
  known: KnownFields,
  mapping: Mapping,
): ColumnPlan {
  const byName = new Map(known.fields.map((field) => [field.name, field]))
  const toField = (name: string, use: string): Field => {
    const field = byName.get(name)
    if (field) return field
    throw new CliError('UNKNOWN_FIELD', `${use}: the request has no field "${name}"`, {
      hint: didYouMean(name, [...byName.keys()]) ?? listNames([...byName.keys()]),
    })
  }
  requireColumns(columns, mapping)
  const constants = mapKeys(mapping.set, (name) => toField(name, `--set ${name}`))
  const defaults = mapKeys(mapping.defaults, (name) => toField(name, `the default of ${name}`))
  const mapped = new Map(
    Array.from(mapping.columns, ([column, name]) => [column, toField(name, `--map ${column}`)]),
  )
  const found = findFields(columns ?? [], { mapped, mapping, known, byName })
  const fields = columns ? found.fields : mapped
  requireSingle(fields, constants)
  const objects = columns ? listObjects(known.fields) : []
  if (columns)
    requireComplete(known.fields, [...fields.values(), ...constants.keys(), ...defaults.keys()])
  return {
    fields,
    left: columns ? found.left : new Set([...mapping.ignored, ...known.ofService]),
    constants,
    defaults,
    objects,
    notes: found.notes,
  }
}

function mapKeys(
  values: ReadonlyMap<string, unknown>,
  toField: (name: string) => Field,
): ReadonlyMap<Field, unknown> {
  return new Map(Array.from(values, ([name, value]) => [toField(name), value]))
}

// An option about a column that does not exist is a mistake.
function requireColumns(
  columns: readonly string[] | undefined,
  { columns: mapped, ignored }: Mapping,
): void {
  if (!columns) return
  const missing = [...mapped.keys(), ...ignored].find((name) => !columns.includes(name))
  if (missing === undefined) return
  throw new CliError('UNKNOWN_FIELD', `the file has no column "${missing}"`, {
    hint: didYouMean(missing, columns) ?? listNames(columns),
  })
}

interface Known {
  readonly mapped: ReadonlyMap<string, Field>
  readonly mapping: Mapping
  readonly known: KnownFields
  readonly byName: ReadonlyMap<string, Field>
}

function findFields(
  columns: readonly string[],
  { byName, known, mapped, mapping }: Known,
): Pick<ColumnPlan, 'fields' | 'left' | 'notes'> {
  const similar = groupSimilar(known.fields)
  const fields = new Map<string, Field>()
  const left = new Set<string>()
  const renamed: string[] = []
  const ofService: string[] = []
  const unknown: string[] = []
  for (const column of columns) {
    if (mapping.ignored.has(column)) {
      left.add(column)
      continue
    }
    const exact = mapped.get(column) ?? byName.get(column)
    const near = exact ?? similar.get(toComparable(column))
    if (near) {
      fields.set(column, near)
      if (!exact) renamed.push(`${column} → ${near.name}`)
    } else if (known.ofService.has(column)) {
      left.add(column)
      ofService.push(column)
    } else unknown.push(column)
  }
  if (unknown.length > 0) throw unknownError(unknown, [...byName.keys()])
  return {
    fields,
    left,
    notes: [
      ...(renamed.length > 0 ? [`columns by similar names: ${renamed.join(', ')}`] : []),
      ...(ofService.length > 0
        ? [`left out, because the service sets them: ${ofService.join(', ')}`]
        : []),
    ],
  }
}

// Names that differ only in case, spaces, periods, hyphens and underscores. Those of two fields find none.
function groupSimilar(fields: readonly Field[]): ReadonlyMap<string, Field> {
  const names = fields.map(({ name }) => toComparable(name))
  return new Map(
    fields.flatMap((field, index) => {
      const name = names[index] ?? ''
      return names.indexOf(name) === names.lastIndexOf(name) ? [[name, field]] : []
    }),
  )
}

function toComparable(name: string): string {
  return name.toLowerCase().replaceAll(/[\s._-]/g, '')
}

function unknownError(columns: readonly string[], fields: readonly string[]): CliError {
  const shown = columns.slice(0, 10)
  const lines = shown.map((column) => {
    const near = didYouMean(column, fields)
    return `  ${column.slice(0, 100)}${near === undefined ? '' : `  ${near}`}`
  })
  const more = columns.length > shown.length ? [`  and ${columns.length - shown.length} more`] : []
  const [first = ''] = columns
  return new CliError('UNKNOWN_FIELD', 'the request has no field for these columns', {
    details: [...lines, ...more],
    hint: `--map ${quoteForShell(`${first.slice(0, 100)}=field`)}, or --ignore ${quoteForShell(first.slice(0, 100))}`,
  })
}

// A value has one source.
function requireSingle(
  fields: ReadonlyMap<string, Field>,
  constants: ReadonlyMap<Field, unknown>,
): void {
  const uses = [
    ...Array.from(fields, ([column, field]) => ({ field, use: `the column "${column}"` })),
    ...Array.from(constants.keys(), (field) => ({ field, use: `--set ${field.name}` })),
  ]
  const byPath = new Map(uses.map((one) => [one.field.name, one.use]))
  for (const { field, use } of uses) {
    const names = field.path.map((_, index) => field.path.slice(0, index + 1).join('.'))
    const other = names
      .map((name) => byPath.get(name))
      .find((one) => one !== undefined && one !== use)
    if (other === undefined) continue
    throw new CliError('USAGE', `${use} and ${other} both give the field "${field.name}" a value`, {
      hint: 'leave one out: --ignore column',
    })
  }
}

// Their members have columns, so an object without values is one without members.
function listObjects(fields: readonly Field[]): readonly Field[] {
  return fields.filter(
    ({ name, required }) => required && fields.some((field) => field.name.startsWith(`${name}.`)),
  )
}

function requireComplete(fields: readonly Field[], given: readonly Field[]): void {
  const names = new Set(given.map(({ name }) => name))
  const missing = fields.filter(
    ({ name, path, required }) =>
      required &&
      !names.has(name) &&
      !fields.some((one) => one.name.startsWith(`${name}.`)) &&
      !path.some((_, index) => names.has(path.slice(0, index).join('.'))),
  )
  const [first] = missing
  if (!first) return
  const list = missing.map(({ name }) => `"${name}"`).join(', ')
  throw new CliError('USAGE', `no column has the required field ${list}`, {
    hint: `--map ${quoteForShell(`Column=${first.name}`)}, or --set ${quoteForShell(`${first.name}=value`)}`,
  })
}

function listNames(names: readonly string[]): string {
  return `one of ${names.slice(0, 20).join(', ')}${names.length > 20 ? ', …' : ''}`
}
