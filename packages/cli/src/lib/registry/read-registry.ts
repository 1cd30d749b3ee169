import type { CallExpression, File, ImportDeclaration, Node, Statement } from '@babel/types'
import { declaredNames, nameOf } from '../code/bound-names.ts'
import { type Quote } from '../code/literals.ts'
import { parseCode } from '../code/parse-code.ts'
import { type Range, rangeOf } from '../code/text-edits.ts'
import { apiCommand } from '../terminal/api-command.ts'

export interface RegistryImport extends Range {
  readonly specifier: string
  /** Imported name to its position and its local name. */
  readonly names: ReadonlyMap<string, Range & { readonly local: string }>
  /** Number of things it imports, a default import included. */
  readonly size: number
}

export interface RegistryMount extends Range {
  readonly path: string | undefined
  readonly router: string
}

export interface MarkerPair {
  readonly opening: Range
  readonly closing: Range
}

export interface Registry {
  readonly source: string
  readonly imports: readonly RegistryImport[]
  readonly mounts: readonly RegistryMount[]
  readonly markers: Readonly<Record<MarkerName, MarkerPair>>
  /** Every name the file binds at its top level. */
  readonly bound: ReadonlySet<string>
  /** Name of the variable routers are mounted on. */
  readonly receiver: string
  readonly quote: Quote
  readonly semicolon: '' | ';'
}

export const markerNames = ['imports', 'mounts'] as const

export type MarkerName = (typeof markerNames)[number]

export class RegistryProblem extends Error {
  override readonly name = 'RegistryProblem'
  /** How to fix it. */
  readonly fix: string

  constructor(message: string, fix: string, cause?: unknown) {
    super(message, { cause })
    this.fix = fix
  }
}

export const missingRegistry = new RegistryProblem('is missing', 'restore it from version control')

export async function parseSource(source: string): Promise<File> {
  try {
    return await parseCode(source)
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    throw new RegistryProblem(`does not parse: ${reason}`, 'correct it by hand', error)
  }
}

export async function readRegistry(source: string): Promise<Registry> {
  const file = await parseSource(source)
  const statements = readStatements(file)
  const comments = (file.comments ?? []).map((comment) => ({
    value: comment.value,
    ...rangeOf(comment),
  }))
  return {
    source,
    ...statements,
    markers: {
      imports: findMarkers('imports', comments),
      mounts: findMarkers('mounts', comments),
    },
    ...readStyle(source, statements.imports),
  }
}

export interface RegistryStatements {
  readonly imports: readonly RegistryImport[]
  readonly mounts: readonly RegistryMount[]
  readonly bound: ReadonlySet<string>
  readonly receiver: string
}

export function readStatements(file: File): RegistryStatements {
  const imports: RegistryImport[] = []
  const mounts: RegistryMount[] = []
  const bound = new Set<string>()
  let receiver = 'routes'
  for (const statement of file.program.body) {
    if (statement.type === 'ImportDeclaration') imports.push(toImport(statement))
    const mount = toMount(statement)
    if (mount !== undefined) mounts.push(mount)
    receiver = findReceiver(statement) ?? receiver
    for (const name of declaredNames(declarationOf(statement))) bound.add(name)
  }
  return { imports, mounts, bound, receiver }
}

function toImport(statement: ImportDeclaration): RegistryImport {
  const names = new Map<string, Range & { local: string }>()
  for (const specifier of statement.specifiers) {
    if (specifier.type !== 'ImportSpecifier') continue
    const { imported, local } = specifier
    names.set(nameOf(imported), { local: local.name, ...rangeOf(specifier) })
  }
  const size = statement.specifiers.length
  const range = rangeOfStatement(statement, statement.source)
  return { specifier: statement.source.value, names, size, ...range }
}

function toMount(statement: Statement): RegistryMount | undefined {
  if (statement.type !== 'ExpressionStatement') return undefined
  const call = statement.expression
  if (call.type !== 'CallExpression' || !isUse(call)) return undefined
  const router = call.arguments.find((argument) => argument.type === 'Identifier')
  if (router === undefined) return undefined
  const path = call.arguments[0]
  return {
    router: router.name,
    path: path?.type === 'StringLiteral' ? path.value : undefined,
    ...rangeOfStatement(statement, call),
  }
}

function isUse(call: CallExpression): boolean {
  const { callee } = call
  return callee.type === 'MemberExpression' && !callee.computed && nameOf(callee.property) === 'use'
}

function declarationOf(statement: Statement): Statement | null | undefined {
  return statement.type === 'ExportNamedDeclaration' ? statement.declaration : statement
}

function findReceiver(statement: Statement): string | undefined {
  const declaration = declarationOf(statement)
  if (declaration?.type !== 'VariableDeclaration') return undefined
  for (const { id, init } of declaration.declarations) {
    if (init?.type === 'CallExpression' && nameOf(init.callee) === 'createRegistry')
      return nameOf(id)
  }
  return undefined
}

interface Comment extends Range {
  readonly value: string
}

function findMarkers(name: MarkerName, comments: readonly Comment[]): MarkerPair {
  const opening = findMarker(`<api:${name}>`, comments)
  const closing = findMarker(`</api:${name}>`, comments)
  if (opening.start > closing.start) {
    throw new RegistryProblem(
      `has "// </api:${name}>" before "// <api:${name}>"`,
      'put them in order by hand',
    )
  }
  return { opening, closing }
}

function findMarker(tag: string, comments: readonly Comment[]): Range {
  const found = comments.filter(({ value }) => value.trimStart().startsWith(tag))
  const [marker] = found
  if (marker === undefined) {
    throw new RegistryProblem(
      `has no "// ${tag}" marker`,
      `put the markers back: ${apiCommand} doctor --fix`,
    )
  }
  if (found.length > 1) {
    throw new RegistryProblem(
      `has more than one "// ${tag}" marker`,
      'remove the wrong one by hand',
    )
  }
  return marker
}

function readStyle(
  source: string,
  imports: readonly RegistryImport[],
): Pick<Registry, 'quote' | 'semicolon'> {
  const first = imports[0] === undefined ? '' : source.slice(imports[0].start, imports[0].end)
  return { quote: first.includes('"') ? '"' : "'", semicolon: first.endsWith(';') ? ';' : '' }
}

// Code without semicolons begins a line with one where it must. Such a semicolon ends the statement
// before it, however many lines and markers lie between, but it is not that statement's own.
function rangeOfStatement(statement: Statement, last: Node): Range {
  const isForeign = (statement.loc?.end.line ?? 0) > (last.loc?.end.line ?? 0)
  return { start: rangeOf(statement).start, end: rangeOf(isForeign ? last : statement).end }
}
