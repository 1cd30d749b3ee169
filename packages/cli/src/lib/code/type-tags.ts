import type * as babel from '@babel/types'
import { type CommentedSource, typeText } from './jsdoc.ts'

type Node = babel.Node

export type FunctionNode =
  | babel.ArrowFunctionExpression
  | babel.ClassMethod
  | babel.ClassPrivateMethod
  | babel.FunctionDeclaration
  | babel.FunctionExpression
  | babel.ObjectMethod

export interface Parameter {
  readonly node: Node
  /** Undefined for a pattern. */
  readonly name: string | undefined
  readonly type: Node | undefined
  readonly optional: boolean
}

export function typeTag(file: CommentedSource, type: Node): string {
  return `@type {${typeText(file, type)}}`
}

export function returnsTag(file: CommentedSource, type: Node): string {
  return `@returns {${typeText(file, type)}}`
}

// The tags of a function, in the order of its code.
export function functionTags(file: CommentedSource, node: FunctionNode): readonly string[] {
  const parameters = node.params.map(readParameter)
  const names = new Set(parameters.map(({ name }) => name))
  const returned = annotated(node.returnType)
  return [
    ...templateTags(file, node.typeParameters),
    ...parameters.flatMap((parameter) => parameterTag(file, parameter, names)),
    ...(returned === undefined ? [] : [returnsTag(file, returned)]),
  ]
}

function parameterTag(
  file: CommentedSource,
  { name, optional, type }: Parameter,
  names: Set<string | undefined>,
): readonly string[] {
  if (type === undefined) return []
  if (name === 'this') return [`@this {${typeText(file, type)}}`]
  const own = name ?? freeName(names)
  return [`@param {${typeText(file, type)}} ${optional ? `[${own}]` : own}`]
}

// For a pattern, which TypeScript finds by its position.
function freeName(names: Set<string | undefined>): string {
  for (let index = 1; ; index += 1) {
    const name = index === 1 ? 'options' : `options${index}`
    if (names.has(name)) continue
    names.add(name)
    return name
  }
}

export function readParameter(node: Node): Parameter {
  const target = targetOf(node)
  const own = 'typeAnnotation' in node ? node.typeAnnotation : undefined
  const ofTarget = 'typeAnnotation' in target ? target.typeAnnotation : undefined
  return {
    node,
    name: target.type === 'Identifier' ? target.name : undefined,
    type: annotated(own) ?? annotated(ofTarget),
    optional:
      node.type === 'AssignmentPattern' ||
      (target.type === 'Identifier' && target.optional === true),
  }
}

function targetOf(node: Node): Node {
  if (node.type === 'AssignmentPattern') return node.left
  return node.type === 'RestElement' ? node.argument : node
}

// The type after the colon.
export function annotated(node: Node | null | undefined): Node | undefined {
  return node?.type === 'TSTypeAnnotation' ? node.typeAnnotation : undefined
}

export function typedefTags(
  file: CommentedSource,
  node: babel.TSInterfaceDeclaration | babel.TSTypeAliasDeclaration,
): readonly string[] {
  const type =
    node.type === 'TSTypeAliasDeclaration'
      ? typeText(file, node.typeAnnotation)
      : [...(node.extends ?? []), node.body].map((part) => typeText(file, part)).join(' & ')
  return [...templateTags(file, node.typeParameters), `@typedef {${type}} ${node.id.name}`]
}

function templateTags(file: CommentedSource, node: Node | null | undefined): readonly string[] {
  if (node?.type !== 'TSTypeParameterDeclaration') return []
  return node.params.map(({ constraint, default: value, name }) => {
    const bound = constraint ? `{${typeText(file, constraint)}} ` : ''
    return `@template ${bound}${value ? `[${name}=${typeText(file, value)}]` : name}`
  })
}
