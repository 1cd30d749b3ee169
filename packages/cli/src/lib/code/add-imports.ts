import type { Node } from '@babel/types'
import { boundNames } from './bound-names.ts'
import { childNodes } from './child-nodes.ts'
import { importStatement } from './import-statement.ts'
import { parseCode } from './parse-code.ts'

// Module specifier to import clauses: `name`, `type Name`, `name as local`, `* as name` or
// `default as name`.
export type ModuleExports = Readonly<Record<string, readonly string[]>>

// Imports what a module uses and does not declare. Where two modules export a name, the first
// is used.
export async function addImports(text: string, available: ModuleExports): Promise<string> {
  const names: Names = { used: new Set(), declared: new Set() }
  collectNames((await parseCode(text)).program, names)
  const statements: { readonly specifier: string; readonly code: string }[] = []
  for (const [specifier, clauses] of Object.entries(available)) {
    const needed = clauses.filter((clause) => {
      const name = toLocalName(clause)
      if (!names.used.has(name) || names.declared.has(name)) return false
      names.declared.add(name)
      return true
    })
    if (needed.length > 0) statements.push({ specifier, code: toStatement(needed, specifier) })
  }
  const sorted = statements.toSorted((a, b) => compareSpecifiers(a.specifier, b.specifier))
  return [...sorted.map(({ code }) => code), '', text].join('\n')
}

// The names in a piece of code, without those of properties.
export function findNames(node: Node): ReadonlySet<string> {
  const names: Names = { used: new Set(), declared: new Set() }
  collectNames(node, names)
  return names.used
}

const isDefault = (clause: string): boolean => clause.startsWith('default as ')

function toStatement(clauses: readonly string[], specifier: string): string {
  const [only = ''] = clauses
  if (only.startsWith('* as ')) return importStatement(only, specifier)
  const named = clauses.filter((clause) => !isDefault(clause)).toSorted(compareClauses)
  const parts = [
    ...clauses.filter(isDefault).map(toLocalName),
    ...(named.length > 0 ? [`{ ${named.join(', ')} }`] : []),
  ]
  return importStatement(parts.join(', '), specifier)
}

// The name that an import clause declares.
export function toLocalName(clause: string): string {
  return clause.slice(clause.lastIndexOf(' ') + 1)
}

interface Names {
  readonly used: Set<string>
  readonly declared: Set<string>
}

// Scopes are ignored: a name declared anywhere in the module counts as declared.
function collectNames(node: Node, names: Names): void {
  if (node.type === 'Identifier') names.used.add(node.name)
  for (const name of declaredNames(node)) names.declared.add(name)
  for (const [member, child] of childNodes(node)) {
    const isPropertyName = member === 'property' || member === 'key'
    if (!isPropertyName || ('computed' in node && node.computed)) collectNames(child, names)
  }
}

function declaredNames(node: Node): readonly string[] {
  const id = 'id' in node ? node.id : undefined
  const local = node.type.startsWith('Import') && 'local' in node ? node.local : undefined
  const params: readonly Node[] = 'params' in node ? node.params : []
  return [id, local, ...params].flatMap(boundNames)
}

// Packages first, then parent folders, then the module's own.
function compareSpecifiers(a: string, b: string): number {
  const order = Number(a.startsWith('.')) - Number(b.startsWith('.'))
  return order === 0 ? compareText(a, b) : order
}

// By name, as people read it: neither `type` nor capitals count.
function compareClauses(a: string, b: string): number {
  const [left, right] = [a.replace(/^type /, ''), b.replace(/^type /, '')]
  return compareText(left.toLowerCase(), right.toLowerCase()) || compareText(right, left)
}

function compareText(a: string, b: string): number {
  if (a === b) return 0
  return a < b ? -1 : 1
}
