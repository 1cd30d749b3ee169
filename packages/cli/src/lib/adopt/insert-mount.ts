import type { Node, Statement } from '@babel/types'
import { nameOf } from '../code/bound-names.ts'
import { importStatement } from '../code/import-statement.ts'
import { type Quote, quoted } from '../code/literals.ts'
import { applyEdits, type Edit, rangeOf } from '../code/text-edits.ts'
import { type AppPlace, isRequire, toAppCall } from './find-app.ts'

export interface MountLines {
  /** Module of the mount, as the file of the app imports it. */
  readonly specifier: string
  /** Path below which the API is mounted; empty for the root. */
  readonly prefix: string
}

export interface MountEdit {
  readonly text: string
  /** The line that mounts, and its number after the edit. */
  readonly code: string
  readonly line: number
  readonly importCode: string
}

// The API shares what runs before it: it is mounted after these, and before all others.
const sharedMiddleware = /^(compression|shrinkRay|responseTime|httpContext|Sentry|tracer?|apm)$/i

const registrations = new Set([
  'use',
  'all',
  'get',
  'head',
  'post',
  'put',
  'patch',
  'delete',
  'route',
  'param',
])

// Adds the import and the line that mounts the API.
export function insertMount(place: AppPlace, mount: MountLines): MountEdit {
  const { receiver, statement, text } = place
  const quote = readQuote(text)
  const path = mount.prefix === '' ? '' : `${quoted(mount.prefix, quote)}, `
  const anchor = findAnchor(place)
  const code = `${receiver}.use(${path}mountApi)`
  const importCode = toImport(place, mount.specifier, quote)
  const edits = [
    toImportEdit(place, importCode),
    lineAfter(text, anchor, indentOf(text, statement) + code),
  ]
  const edited = applyEdits(text, edits)
  const at = edited.indexOf(code, rangeOf(statement).start)
  return { text: edited, code, importCode, line: edited.slice(0, at).split('\n').length }
}

function findAnchor({ receiver, siblings, statement, text }: AppPlace): Statement {
  let anchor = statement
  for (const one of siblings.slice(siblings.indexOf(statement) + 1)) {
    const call = toAppCall(text, receiver, one)
    if (call === undefined || !registrations.has(call.method)) continue
    const isShared = call.method === 'use' && call.args.every(isSharedMiddleware)
    if (!isShared) break
    anchor = one
  }
  return anchor
}

function isSharedMiddleware(node: Node): boolean {
  if (node.type === 'Identifier') return sharedMiddleware.test(node.name)
  if (node.type === 'CallExpression') {
    return isRequire(node.callee, 'compression') || isSharedMiddleware(node.callee)
  }
  return node.type === 'MemberExpression' && isSharedMiddleware(node.object)
}

function readQuote(text: string): Quote {
  return /(?:from|require\() *"/.test(text) ? '"' : "'"
}

// As the statement before it has one: what follows that begins no continuation then.
function semicolonOf(text: string, statement: Statement): string {
  return text[endOf(text, statement) - 1] === ';' ? ';' : ''
}

// A semicolon that begins the next line belongs to that line.
function endOf(text: string, statement: Statement): number {
  const { end, start } = rangeOf(statement)
  return start + text.slice(start, end).replace(/\s*\n\s*;$/, '').length
}

function toImport({ file, path }: AppPlace, specifier: string, quote: Quote): string {
  const usesImports = file.program.body.some(
    ({ type }) => type === 'ImportDeclaration' || type === 'TSImportEqualsDeclaration',
  )
  return usesImports || path.endsWith('.mjs')
    ? importStatement('{ mountApi }', specifier, quote)
    : `const { mountApi } = require(${quoted(specifier, quote)})`
}

// Below the last import at the top of the file, or above the statement that creates the app.
function toImportEdit(place: AppPlace, code: string): Edit {
  const { file, statement, text } = place
  const imports = file.program.body.filter(isImport)
  const before = imports.filter((one) => rangeOf(one).end <= rangeOf(statement).start)
  const last = before.at(-1)
  if (last !== undefined) return lineAfter(text, last, code)
  const first = file.program.body[0]
  const start = first === undefined ? 0 : rangeOf(first).start
  return { start, end: start, text: code + semicolonOf(text, statement) + lineEnd(text) }
}

function isImport(statement: Statement): boolean {
  if (statement.type === 'VariableDeclaration') {
    return statement.declarations.every(({ init }) => isRequire(toSource(init)))
  }
  return statement.type === 'ImportDeclaration' || statement.type === 'TSImportEqualsDeclaration'
}

// `require('a').b` and `require('a')(b)` import as well.
function toSource(node: Node | null | undefined): Node | null | undefined {
  if (node?.type === 'MemberExpression') return toSource(node.object)
  if (node?.type === 'CallExpression' && nameOf(node.callee) !== 'require') {
    return toSource(node.callee)
  }
  return node
}

// On a separate line below a statement, after a comment at the end of its line.
function lineAfter(text: string, statement: Statement, code: string): Edit {
  const end = endOf(text, statement)
  const rest = /^[^\S\r\n]*(;[^\S\r\n]*)?(\/\/[^\r\n]*)?(?=\r?\n|$)/.exec(text.slice(end))?.[0]
  const at = end + (rest?.length ?? 0)
  const after = rest === undefined ? lineEnd(text) : ''
  return { start: at, end: at, text: lineEnd(text) + code + semicolonOf(text, statement) + after }
}

function indentOf(text: string, statement: Statement): string {
  const { start } = rangeOf(statement)
  return /^[ \t]*/.exec(text.slice(text.lastIndexOf('\n', start - 1) + 1, start))?.[0] ?? ''
}

function lineEnd(text: string): string {
  return text.includes('\r\n') ? '\r\n' : '\n'
}
