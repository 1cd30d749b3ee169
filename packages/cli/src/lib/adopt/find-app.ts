import type { Expression, File, Node, Statement } from '@babel/types'
import { nameOf } from '../code/bound-names.ts'
import { childNodes } from '../code/child-nodes.ts'
import { parseCode } from '../code/parse-code.ts'
import { type Range, rangeOf, textOf } from '../code/text-edits.ts'
import { CliError } from '../errors/cli-error.ts'
import { type SourceFile } from './source-files.ts'

// Where an application calls `express()`.
export interface AppPlace extends SourceFile {
  readonly file: File
  readonly line: number
  /** What the app is assigned to: `app`, `this.app`. */
  readonly receiver: string
  /** The statement that creates it, and those around it. */
  readonly statement: Statement
  readonly siblings: readonly Statement[]
}

interface FoundCall {
  readonly source: SourceFile
  readonly file: File
  readonly line: number
  /** Undefined where the app is not assigned by a statement. */
  readonly place: Pick<AppPlace, 'receiver' | 'statement' | 'siblings'> | undefined
}

// Finds the one app of an application. `chosen` is `src/app.js` or `src/app.js:12`.
export async function findApp(
  sources: readonly SourceFile[],
  chosen: string | undefined,
): Promise<AppPlace> {
  // Others need not parse.
  const read = chosen === undefined ? sources : sources.filter(({ path }) => isIn(path, chosen))
  const calls = await findAllCalls(read)
  const wanted = chosen === undefined ? calls : calls.filter((call) => isChosen(call, chosen))
  const [call, ...others] = wanted
  if (call === undefined) throw noApp(await findAllCalls(sources), chosen)
  if (others.length > 0) throw severalApps(wanted)
  const { file, line, place, source } = call
  if (place === undefined) throw unassigned(call)
  return { ...source, ...place, file, line }
}

async function findAllCalls(sources: readonly SourceFile[]): Promise<readonly FoundCall[]> {
  return (await Promise.all(sources.map(findCalls))).flat()
}

async function findCalls(source: SourceFile): Promise<readonly FoundCall[]> {
  if (!/\bexpress\b/.test(source.text)) return []
  const file = await parseFile(source)
  const names = findExpressNames(file)
  const calls: FoundCall[] = []
  visit(file.program, [], (node, parents) => {
    if (!isAppCall(node, names)) return
    const line = node.loc?.start.line ?? 1
    calls.push({ source, file, line, place: findPlace(source.text, node, parents) })
  })
  return calls
}

async function parseFile({ path, text }: SourceFile): Promise<File> {
  try {
    return await parseCode(text)
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    const line = /\((\d+):\d+\)$/.exec(reason)?.[1] ?? '1'
    throw new CliError('NOT_ADOPTABLE', `${path}:${line} does not parse: ${reason}`, {
      hint: 'correct it, or name the file of the app: --app src/app.js',
      files: [path],
      cause: error,
    })
  }
}

type Parents = readonly Node[]

function visit(node: Node, parents: Parents, found: (node: Node, parents: Parents) => void): void {
  found(node, parents)
  for (const [, child] of childNodes(node)) visit(child, [node, ...parents], found)
}

// The names that a module gives to the package.
function findExpressNames({ program }: File): ReadonlySet<string> {
  const names = program.body.flatMap((statement) => {
    if (statement.type === 'ImportDeclaration' && statement.source.value === 'express') {
      return statement.specifiers
        .filter(({ type }) => type !== 'ImportSpecifier')
        .map(({ local }) => local.name)
    }
    if (statement.type === 'TSImportEqualsDeclaration') {
      const { id, moduleReference } = statement
      const isExpress =
        moduleReference.type === 'TSExternalModuleReference' &&
        moduleReference.expression.value === 'express'
      return isExpress ? [id.name] : []
    }
    if (statement.type !== 'VariableDeclaration') return []
    return statement.declarations.flatMap(({ id, init }) =>
      isRequire(init, 'express') && id.type === 'Identifier' ? [id.name] : [],
    )
  })
  return new Set(names)
}

export function isRequire(node: Node | null | undefined, name?: string): boolean {
  if (node?.type !== 'CallExpression' || nameOf(node.callee) !== 'require') return false
  const [specifier] = node.arguments
  return specifier?.type === 'StringLiteral' && (name === undefined || specifier.value === name)
}

function isAppCall(node: Node, names: ReadonlySet<string>): boolean {
  if (node.type !== 'CallExpression') return false
  const { callee } = node
  return names.has(nameOf(callee)) || isRequire(callee, 'express')
}

// `app = express()`, also as part of `const app = exports.app = express()`.
function findPlace(text: string, call: Node, parents: Parents): FoundCall['place'] {
  let target: Node | undefined
  let child = call
  for (const [index, parent] of parents.entries()) {
    if (parent.type === 'VariableDeclarator' && parent.init === child) target = parent.id
    else if (parent.type === 'AssignmentExpression' && parent.right === child) {
      target = parent.left
    } else if (target !== undefined && isStatement(parent)) {
      const siblings = listStatements(parents[index + 1], parents[index + 2])
      const statement = siblings.find((one) => one === parent || isExportOf(one, parent))
      if (statement === undefined) return undefined
      return { receiver: toReceiver(text, target), statement, siblings }
    } else if (!isWrapper(parent)) return undefined
    child = parent
  }
  return undefined
}

// Without its type annotation.
function toReceiver(text: string, target: Node): string {
  return target.type === 'Identifier' ? target.name : textOf(text, target)
}

function isStatement(node: Node): node is Statement {
  return node.type === 'VariableDeclaration' || node.type === 'ExpressionStatement'
}

function isExportOf(statement: Statement, declaration: Node): boolean {
  return statement.type === 'ExportNamedDeclaration' && statement.declaration === declaration
}

function isWrapper({ type }: Node): boolean {
  return ['TSAsExpression', 'TSNonNullExpression', 'TSTypeAssertion'].includes(type)
}

function listStatements(parent: Node | undefined, above: Node | undefined): readonly Statement[] {
  const around = parent?.type === 'ExportNamedDeclaration' ? above : parent
  return around?.type === 'Program' || around?.type === 'BlockStatement' ? around.body : []
}

function isChosen({ line, source }: FoundCall, chosen: string): boolean {
  return [source.path, `${source.path}:${line}`].includes(withoutDot(chosen))
}

function isIn(path: string, chosen: string): boolean {
  return path === withoutDot(chosen).replace(/:\d+$/, '')
}

function withoutDot(path: string): string {
  return path.replace(/^\.\//, '')
}

function toPlaces(calls: readonly FoundCall[]): readonly string[] {
  return calls.map(({ line, source }) => `${source.path}:${line}`)
}

function noApp(calls: readonly FoundCall[], chosen: string | undefined): CliError {
  if (chosen !== undefined && calls.length > 0) {
    return new CliError('USAGE', `--app ${chosen} creates no Express app`, {
      details: toPlaces(calls).map((place) => `  express()   ${place}`),
      hint: 'name one of these',
    })
  }
  return new CliError('NOT_ADOPTABLE', 'no file calls express()', {
    hint: 'run this in the folder of an Express application; for a new service: npx create-api my-service',
  })
}

function severalApps(calls: readonly FoundCall[]): CliError {
  const places = toPlaces(calls)
  return new CliError('NOT_ADOPTABLE', `express() is called in ${places.length} places`, {
    details: places.map((place) => `  express()   ${place}`),
    hint: `say which app serves the API: --app ${places[0] ?? ''}`,
    files: [...new Set(calls.map(({ source }) => source.path))],
  })
}

function unassigned({ line, source }: FoundCall): CliError {
  return new CliError(
    'NOT_ADOPTABLE',
    `${source.path}:${line} does not assign the app to a variable, so no line can mount the API there`,
    {
      hint: 'assign it first, and use the variable: const app = express()',
      files: [source.path],
    },
  )
}

// Calls of a method of the app among statements: `app.use(…)`.
export interface AppCall extends Range {
  readonly method: string
  readonly args: readonly Node[]
}

export function toAppCall(
  text: string,
  receiver: string,
  statement: Statement,
): AppCall | undefined {
  if (statement.type !== 'ExpressionStatement') return undefined
  const call: Expression = statement.expression
  if (call.type !== 'CallExpression' || call.callee.type !== 'MemberExpression') return undefined
  const { object, property } = call.callee
  if (textOf(text, object) !== receiver) return undefined
  return { method: nameOf(property), args: call.arguments, ...rangeOf(statement) }
}
