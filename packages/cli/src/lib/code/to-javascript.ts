import type * as babel from '@babel/types'
import { childNodes } from './child-nodes.ts'
import { eraseImports } from './erase-imports.ts'
import { type CommentedSource, documentNode } from './jsdoc.ts'
import { parseCode } from './parse-code.ts'
import { applyEdits, type Edit, rangeOf, textOf, wholeLines } from './text-edits.ts'
import {
  annotated,
  type FunctionNode,
  functionTags,
  readParameter,
  returnsTag,
  typedefTags,
  typeTag,
} from './type-tags.ts'

type Node = babel.Node

// The JavaScript of TypeScript: types become JSDoc where that can hold them, and are left out elsewhere. Comments and
// blank lines stay. What a compiler would turn into other code throws an error.
export async function toJavaScript(source: string): Promise<string> {
  const { comments, program } = await parseCode(source)
  const erasure: Erasure = {
    source,
    comments: comments ?? [],
    edits: [],
    values: new Set(),
    documented: new Set(),
  }
  for (const statement of program.body) {
    if (statement.type !== 'ImportDeclaration') erase(statement, statement, erasure)
  }
  erasure.edits.push(...eraseImports(erasure, program.body, erasure.values))
  return applyEdits(source, erasure.edits)
}

interface Erasure extends CommentedSource {
  readonly edits: Edit[]
  /** The names that the code uses other than in types. */
  readonly values: Set<string>
  /** Functions whose types are in the comment about their variable or member. */
  readonly documented: Set<Node>
}

// Removes the types in a node. `host` is where a comment about it belongs: its statement or member.
function erase(node: Node, host: Node, erasure: Erasure): void {
  if (isUnsupported(node)) throw unsupported(node, erasure)
  if (isDeclarationOnly(node)) return cutLines(node, erasure)
  const definition = findTypeDefinition(node)
  if (definition !== undefined) return writeTypedef(node, definition, erasure)
  if (isTypeSyntax(node)) return cutType(node, erasure)
  if (isTypeOnlyName(node)) return cutListed(node, erasure)
  if (node.type === 'Identifier') erasure.values.add(node.name)
  writeTags(node, host, erasure)
  cutMarks(node, erasure)
  for (const [member, child] of childNodes(node)) {
    if (isCode(node, member)) erase(child, toHost(node, child, host), erasure)
  }
  // After what is inside of it, whose edits may begin at the same place.
  cutCast(node, erasure)
}

const unsupportedTypes = [
  'Decorator',
  'TSEnumDeclaration',
  'TSExportAssignment',
  'TSImportEqualsDeclaration',
  'TSModuleDeclaration',
  'TSParameterProperty',
]

function isUnsupported(node: Node): boolean {
  return unsupportedTypes.includes(node.type) && !isDeclared(node)
}

function unsupported(node: Node, { source }: Erasure): Error {
  const [line = ''] = textOf(source, node).split('\n')
  return new Error(
    `"${line}" has no equivalent in JavaScript. Write it without enums, namespaces, decorators, parameter properties and "import =".`,
  )
}

function isDeclared(node: Node): boolean {
  return 'declare' in node && node.declare === true
}

// What describes code that is elsewhere.
function isDeclarationOnly(node: Node): boolean {
  if (node.type === 'ExportNamedDeclaration') {
    const { declaration, exportKind, source, specifiers } = node
    if (declaration) return findTypeDefinition(node) === undefined && isDeclarationOnly(declaration)
    const isTypes = specifiers.every((one) => 'exportKind' in one && one.exportKind === 'type')
    return exportKind === 'type' || (specifiers.length > 0 && isTypes && source !== undefined)
  }
  return (
    isDeclared(node) ||
    ['TSDeclareFunction', 'TSDeclareMethod', 'TSIndexSignature'].includes(node.type) ||
    (node.type === 'ClassProperty' && node.abstract === true) ||
    (node.type === 'ExportAllDeclaration' && node.exportKind === 'type')
  )
}

type TypeDefinition = babel.TSInterfaceDeclaration | babel.TSTypeAliasDeclaration

function findTypeDefinition(node: Node): TypeDefinition | undefined {
  const declaration = node.type === 'ExportNamedDeclaration' ? node.declaration : node
  return declaration?.type === 'TSInterfaceDeclaration' ||
    declaration?.type === 'TSTypeAliasDeclaration'
    ? declaration
    : undefined
}

// A type that is defined in a comment can be imported, whether it was exported or not.
function writeTypedef(node: Node, definition: TypeDefinition, erasure: Erasure): void {
  const { end, start } = rangeOf(node)
  const edit = documentNode(erasure, start, typedefTags(erasure, definition))
  erasure.edits.push({ ...edit, end, text: edit.text.trimEnd() })
}

const casts = ['TSAsExpression', 'TSNonNullExpression', 'TSSatisfiesExpression', 'TSTypeAssertion']

function isTypeSyntax({ type }: Node): boolean {
  return type.startsWith('TS') && !casts.includes(type) && type !== 'TSInstantiationExpression'
}

// Neither the name of a property nor what is cut with the syntax around it.
function isCode(node: Node, member: string): boolean {
  if (member === 'property' || member === 'key') return 'computed' in node && node.computed === true
  return member !== 'implements' && !(member === 'typeAnnotation' && casts.includes(node.type))
}

// The parameter `this`, and a type in a list of exports.
function isTypeOnlyName(node: Node): boolean {
  return node.type === 'ExportSpecifier'
    ? node.exportKind === 'type'
    : node.type === 'Identifier' && node.name === 'this'
}

// With the comma after it.
function cutListed(node: Node, { edits, source }: Erasure): void {
  const { end, start } = rangeOf(node)
  const comma = /^\s*,\s*/.exec(source.slice(end))?.[0].length ?? 0
  edits.push({ start, end: end + comma, text: '' })
}

function toHost(parent: Node, child: Node, host: Node): Node {
  if (parent.type.startsWith('Export')) return host
  return /(Statement|Declaration|ObjectMethod|Property|ClassMethod|ClassPrivateMethod)$/.test(
    child.type,
  )
    ? child
    : host
}

function cutLines(node: Node, { edits, source }: Erasure): void {
  edits.push({ ...wholeLines(source, rangeOf(node)), text: '' })
}

// With the space before a colon, so that no line break comes between a parameter list and an arrow.
function cutType(node: Node, { edits, source }: Erasure): void {
  const { end, start } = rangeOf(node)
  const before = node.type === 'TSTypeAnnotation' ? source.slice(0, start) : ''
  const space = before.length - before.trimEnd().length
  edits.push({ start: start - space, end, text: '' })
}

function writeTags(node: Node, host: Node, erasure: Erasure): void {
  switch (node.type) {
    case 'VariableDeclaration':
      return tagVariables(node, host, erasure)
    case 'ClassProperty':
    case 'ClassPrivateProperty':
    case 'ObjectProperty':
      return tagMember(node, erasure)
    case 'ClassMethod':
    case 'ClassPrivateMethod':
    case 'FunctionDeclaration':
    case 'ObjectMethod':
      return tagFunction(node, host, erasure)
    case 'ArrowFunctionExpression':
    case 'FunctionExpression':
      return erasure.documented.has(node) ? undefined : tagInside(node, erasure)
    default:
  }
}

function tagVariables(node: babel.VariableDeclaration, host: Node, erasure: Erasure): void {
  const [first, ...others] = node.declarations
  const isOnly = others.length === 0
  if (isOnly && isFunction(first?.init) && !typeOf(first?.id)) {
    return tagFunction(first.init, host, erasure)
  }
  for (const { id } of node.declarations) {
    const type = typeOf(id)
    const { start } = rangeOf(isOnly ? host : id)
    if (type) erasure.edits.push(documentNode(erasure, start, [typeTag(erasure, type)]))
  }
}

function tagMember(
  node: babel.ClassPrivateProperty | babel.ClassProperty | babel.ObjectProperty,
  erasure: Erasure,
): void {
  const type = typeOf(node)
  if (type) {
    const { start } = rangeOf(node)
    erasure.edits.push(documentNode(erasure, start, [typeTag(erasure, type)]))
  } else if (isFunction(node.value)) tagFunction(node.value, node, erasure)
}

function tagFunction(node: FunctionNode, host: Node, erasure: Erasure): void {
  erasure.documented.add(node)
  const tags = functionTags(erasure, node)
  const { start } = rangeOf(host)
  if (tags.length > 0) erasure.edits.push(documentNode(erasure, start, tags))
}

// A function among other code has its types beside its parameters.
function tagInside(node: FunctionNode, erasure: Erasure): void {
  const returned = annotated(node.returnType)
  const insert = (at: Node, tag: string): void => {
    const { start } = rangeOf(at)
    erasure.edits.push({ start, end: start, text: `/** ${tag} */ ` })
  }
  if (returned) insert(node, returnsTag(erasure, returned))
  for (const { name, node: parameter, type } of node.params.map(readParameter)) {
    if (type && name !== 'this') insert(parameter, typeTag(erasure, type))
  }
}

function isFunction(node: Node | null | undefined): node is FunctionNode {
  return node?.type === 'ArrowFunctionExpression' || node?.type === 'FunctionExpression'
}

function typeOf(node: Node | null | undefined): Node | undefined {
  return node && 'typeAnnotation' in node ? annotated(node.typeAnnotation) : undefined
}

// Removes `?`, `!`, the modifiers of members and `implements`.
function cutMarks(node: Node, erasure: Erasure): void {
  if (node.type === 'Identifier' && node.optional) cutAfter(node, node.name.length, erasure)
  if (node.type === 'VariableDeclarator' && node.definite && node.id.type === 'Identifier') {
    cutAfter(node.id, node.id.name.length, erasure)
  }
  if (/^Class(Method|PrivateMethod|PrivateProperty|Property)$/.test(node.type) && 'key' in node) {
    cutModifiers(node, node.key, erasure)
  }
  if (node.type === 'ClassDeclaration' || node.type === 'ClassExpression')
    cutHeritage(node, erasure)
}

function cutAfter(node: Node, length: number, { edits, source }: Erasure): void {
  const from = rangeOf(node).start + length
  const at = from + source.slice(from).search(/[!?]/)
  edits.push({ start: at, end: at + 1, text: '' })
}

const modifiers = /\b(?:abstract|declare|override|private|protected|public|readonly)\s+/g

function cutModifiers(node: Node, key: Node, { edits, source }: Erasure): void {
  const { start } = rangeOf(node)
  const { end, start: name } = rangeOf(key)
  for (const match of source.slice(start, name).matchAll(modifiers)) {
    const at = start + match.index
    edits.push({ start: at, end: at + match[0].length, text: '' })
  }
  const mark = /^\s*\]?\s*([!?])/.exec(source.slice(end))?.[0]
  if (mark !== undefined)
    edits.push({ start: end + mark.length - 1, end: end + mark.length, text: '' })
}

function cutHeritage(
  { body, implements: interfaces, ...node }: babel.ClassDeclaration | babel.ClassExpression,
  { edits, source }: Erasure,
): void {
  const start = node.start ?? 0
  const abstract = /^abstract\s+/.exec(source.slice(start))?.[0].length ?? 0
  if (abstract > 0) edits.push({ start, end: start + abstract, text: '' })
  const first = interfaces?.[0]
  if (first === undefined) return
  const at = source.lastIndexOf('implements', rangeOf(first).start)
  edits.push({ start: at, end: rangeOf(body).start, text: '' })
}

function cutCast(node: Node, erasure: Erasure): void {
  const { edits, source } = erasure
  const { end, start } = rangeOf(node)
  if (node.type === 'TSNonNullExpression') edits.push({ start: end - 1, end, text: '' })
  if (node.type === 'TSTypeAssertion') {
    const close = rangeOf(node.expression).start
    edits.push(
      { start, end: close, text: `/** ${typeTag(erasure, node.typeAnnotation)} */ (` },
      { start: end, end, text: ')' },
    )
  }
  if (node.type !== 'TSAsExpression' && node.type !== 'TSSatisfiesExpression') return
  const tag = node.type === 'TSAsExpression' ? '@type' : '@satisfies'
  const type = typeTag(erasure, node.typeAnnotation).replace('@type', tag)
  const before = source.slice(0, rangeOf(node.typeAnnotation).start)
  const word = /\s*\b(?:as|satisfies)\s*$/.exec(before)?.[0].length ?? 0
  edits.push(
    { start, end: start, text: `/** ${type} */ (` },
    { start: before.length - word, end, text: ')' },
  )
}
