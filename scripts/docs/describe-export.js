// @ts-check
// Describes an export in Markdown, from its declaration and its TSDoc.
import ts from 'typescript'
import { checker, sections } from './read-exports.js'

/** @typedef {import('./read-exports.js').Exported} Exported */

const exported = sections.flatMap(({ topics }) => topics.flatMap(({ members }) => members))

/** @param {Exported} entry */
export function describe(entry) {
  const declarations = entry.symbol.declarations ?? []
  const calls = declarations.flatMap((declaration) => toCalls(declaration))
  const examples = declarations.flatMap((declaration) => readTags(declaration, 'example'))
  const parts = [
    `### \`${entry.name}\``,
    linkText(toPurpose(entry.symbol), entry),
    `\`\`\`ts\n${toSignatures(declarations).join('\n\n')}\n\`\`\``,
    ...declarations.map((declaration) => describeConstant(declaration, entry)),
    describeCalls(calls, entry).join('\n'),
    ...declarations.flatMap((declaration) => describeMembers(declaration, entry)),
    ...examples.map((example) => `**Example**\n\n${example}`),
  ]
  return `${parts.filter(Boolean).join('\n\n')}\n`
}

/** @param {ts.Symbol} symbol */
function toPurpose(symbol) {
  const text = toText(symbol)
  if (/\.(?=\s|$)/.test(text)) return text
  throw new Error(`'${symbol.name}' has no TSDoc that starts with a sentence.`)
}

/** @param {ts.Symbol} symbol */
function toText(symbol) {
  return ts.displayPartsToString(symbol.getDocumentationComment(checker))
}

const linkTags = /\{@link (\w+)(?:\.\w+)?\s*\}/g

/** @param {string} text */
function toCell(text) {
  return toLine(text).replaceAll('|', '\\|').trim()
}

/** @param {string} text */
function toLine(text) {
  return text.replaceAll(/\s+/g, ' ')
}

// What can be written about declarations without their bodies.
/** @param {readonly ts.Declaration[]} declarations */
function toSignatures(declarations) {
  return declarations.flatMap((declaration) => {
    if (ts.isVariableDeclaration(declaration)) {
      const type = declaration.type?.getText() ?? toTypeText(checker.getTypeAtLocation(declaration))
      return [`const ${declaration.name.getText()}: ${type}`]
    }
    if (ts.isTypeAliasDeclaration(declaration)) return [toAliasText(declaration)]
    const calls = toCalls(declaration).map((call) => toCallText(call))
    if (ts.isFunctionDeclaration(declaration)) return calls
    if (!isObjectType(declaration)) return []
    const body = calls.length > 0 ? ` {\n  ${calls.join('\n\n  ')}\n}` : ''
    return [`${toHead(declaration)}${body}`]
  })
}

// Names that are derived from a value are listed, in their order there.
/** @param {ts.TypeAliasDeclaration} declaration */
function toAliasText(declaration) {
  const names = readNames(declaration.type).map((name) => `\n  | '${name}'`)
  if (names.length === 0) return withoutComments(declaration)
  return `type ${declaration.name.text} =${names.join('')}`
}

/** @param {ts.TypeNode} type */
function readNames(type) {
  if (!/\btypeof\b/.test(type.getText())) return []
  // `keyof typeof catalogue`
  if (ts.isTypeOperatorNode(type)) {
    return checker.getPropertiesOfType(checker.getTypeAtLocation(type.type)).map(({ name }) => name)
  }
  // `(typeof names)[number]`
  if (!ts.isIndexedAccessTypeNode(type)) return []
  const list = checker.getTypeAtLocation(type.objectType)
  const items = list.getProperties().filter(({ name }) => /^\d+$/.test(name))
  return items
    .map((item) => checker.getTypeOfSymbol(item))
    .flatMap((item) => (item.isStringLiteral() ? [item.value] : []))
}

/**
 * @param {ts.Declaration} declaration
 * @param {Exported} entry
 */
function describeConstant(declaration, entry) {
  if (!ts.isVariableDeclaration(declaration) || !declaration.type) return ''
  const type = linkType(toWrittenType(declaration), entry)
  return type.includes('](') ? `Type: ${type}` : ''
}

/**
 * @param {ts.Node} node
 * @returns {node is ts.InterfaceDeclaration | ts.ClassDeclaration}
 */
function isObjectType(node) {
  return ts.isInterfaceDeclaration(node) || ts.isClassDeclaration(node)
}

// The signatures by which a declaration can be called; not that of the implementation of overloads.
/**
 * @param {ts.Declaration} declaration
 * @returns {ts.SignatureDeclaration[]}
 */
function toCalls(declaration) {
  if (ts.isFunctionDeclaration(declaration)) {
    const symbol = declaration.name && checker.getSymbolAtLocation(declaration.name)
    const isOverloaded = (symbol?.declarations?.length ?? 0) > 1
    return declaration.body && isOverloaded ? [] : [declaration]
  }
  if (ts.isClassDeclaration(declaration)) {
    return declaration.members.filter((member) => ts.isConstructorDeclaration(member))
  }
  if (!ts.isInterfaceDeclaration(declaration)) return []
  return declaration.members.filter((member) => ts.isCallSignatureDeclaration(member))
}

/** @param {ts.SignatureDeclaration} call */
function toCallText(call) {
  const { text } = call.getSourceFile()
  const body = 'body' in call ? call.body : undefined
  return text
    .slice(call.getStart(), body?.getFullStart() ?? call.end)
    .trim()
    .replace(/^export /, '')
}

/** @param {ts.Node} node */
function withoutComments(node) {
  return node
    .getText()
    .replaceAll(/^\s*\/\*\*.*?\*\/\n/gms, '')
    .replace(/^export /, '')
}

// An interface or a class without its members.
/** @param {ts.InterfaceDeclaration | ts.ClassDeclaration} declaration */
function toHead(declaration) {
  const { name, typeParameters = [], heritageClauses = [] } = declaration
  const keyword = ts.isClassDeclaration(declaration) ? 'class' : 'interface'
  const parameters = typeParameters.map((parameter) => parameter.getText()).join(', ')
  const bases = heritageClauses.flatMap((clause) => {
    const types = clause.types.filter((type) => isPublic(type)).map(withoutComments)
    const word = clause.token === ts.SyntaxKind.ExtendsKeyword ? 'extends' : 'implements'
    return types.length > 0 ? [` ${word} ${types.join(', ')}`] : []
  })
  return `${keyword} ${name?.text}${parameters && `<${parameters}>`}${bases.join('')}`
}

// Whether all names in a type can be imported by users.
/**
 * @param {ts.Node} node
 * @returns {boolean}
 */
function isPublic(node) {
  if (ts.isIdentifier(node)) {
    const target = toTarget(node)
    const isKnown = exported.some((entry) => entry.symbol === target)
    return isKnown || !target?.declarations?.some((declaration) => isOurs(declaration))
  }
  return !ts.forEachChild(node, (child) => !isPublic(child))
}

// The parameters, the result and the errors of calls as items of a list. Of overloads, each item once;
// what a parameter is, the last of them says, which is the general one.
/**
 * @param {readonly ts.Node[]} calls
 * @param {Exported} entry
 */
function describeCalls(calls, entry) {
  const tags = calls.flatMap((call) => ts.getJSDocTags(call))
  const parameters = new Map(
    tags
      .filter((tag) => ts.isJSDocParameterTag(tag))
      .map((tag) => [tag.name.getText(), describeParameter(tag, entry)]),
  )
  const results = tags
    .filter((tag) => ts.isJSDocReturnTag(tag))
    .map((tag) => describeResult(tag, entry))
  const errors = calls
    .flatMap((call) => readTags(call, 'throws'))
    .map((text) => toLine(text).replace(/^\w*(Error|Failure)\b/, '`$&`'))
    .map((text) => `- Throws ${linkText(text, entry)}`)
  return [...new Set([...parameters.values(), ...results, ...errors])].filter(Boolean)
}

/**
 * @param {ts.JSDocParameterTag} tag
 * @param {Exported} entry
 */
function describeParameter(tag, entry) {
  const name = tag.name.getText()
  const { parameters = [] } = toFunction(tag.parent.parent) ?? {}
  // A parameter that is taken apart has no name; TSDoc then describes its parts as `options.part`.
  const found =
    parameters.find((one) => one.name.getText() === name) ??
    parameters.find((one) => !ts.isIdentifier(one.name))
  if (name.includes('.') || !found) return ''
  const facts = [
    toShortType(found, entry),
    found.initializer ? `default \`${found.initializer.getText()}\`` : '',
    found.questionToken ? 'optional' : '',
  ].filter(Boolean)
  const text = linkText(toLine(toTagText(tag)), entry)
  return `- \`${name}\`${facts.length > 0 ? ` (${facts.join(', ')})` : ''}: ${text}`
}

/**
 * @param {ts.JSDocReturnTag} tag
 * @param {Exported} entry
 */
function describeResult(tag, entry) {
  const call = toFunction(tag.parent.parent)
  const type = call?.type ? toShortType(call, entry) : ''
  const text = linkText(toLine(toTagText(tag)), entry)
  return type.includes('](') ? `- Returns ${type}: ${text}` : `- Returns ${text}`
}

// A type that is short enough for a sentence; the signature has all of them.
/**
 * @param {ts.Declaration} declaration
 * @param {Exported} entry
 */
function toShortType(declaration, entry) {
  const type = toWrittenType(declaration)
  return type.length > 60 || /<.*</.test(type) ? '' : linkType(type, entry)
}

// The properties of an interface or a class as a table, and its methods as a list.
/**
 * @param {ts.Declaration} declaration
 * @param {Exported} entry
 */
function describeMembers(declaration, entry) {
  if (!isObjectType(declaration)) return []
  const bases = findBases(declaration)
  const members = [
    ...listStatics(declaration),
    ...checker.getPropertiesOfType(checker.getTypeAtLocation(declaration)),
  ]
    .filter((member) => isOurs(toDeclaration(member)) && !isOverride(member))
    .filter((member) => !isPrivate(member))
    .filter((member) => !bases.some(({ symbol }) => isMemberOf(member, symbol)))
    .toSorted((a, b) => Number(isOptional(a)) - Number(isOptional(b)))
  const isService = members.some(
    (member) => describeCalls([toDeclaration(member)], entry).length > 0,
  )
  const methods = members.filter((member) => {
    const one = toDeclaration(member)
    return ts.isMethodSignature(one) || (isService && toFunction(one))
  })
  const properties = members.filter((member) => !methods.includes(member))
  const list = methods.map((method) => describeMethod(method, entry)).join('\n\n')
  const links = bases.map(({ name }) => toLink(name, entry))
  return [
    toTable(properties.map((property) => toRow(property, entry))),
    list && `**${methods.every(isOptional) ? 'Functions' : 'Methods'}**\n\n${list}`,
    links.length > 0 ? `Inherits the members of ${links.join(' and ')}.` : '',
  ]
}

// The static methods of a class.
/** @param {ts.InterfaceDeclaration | ts.ClassDeclaration} declaration */
function listStatics(declaration) {
  const { name } = declaration
  const symbol = name && ts.isClassDeclaration(declaration) && checker.getSymbolAtLocation(name)
  return symbol
    ? [...(symbol.exports?.values() ?? [])].filter(({ name: key }) => key !== 'prototype')
    : []
}

// The exports that an interface extends as a whole.
/** @param {ts.InterfaceDeclaration | ts.ClassDeclaration} declaration */
function findBases({ heritageClauses }) {
  const clauses = heritageClauses?.filter(({ token }) => token === ts.SyntaxKind.ExtendsKeyword)
  const types = clauses?.flatMap((clause) => [...clause.types]) ?? []
  const symbols = types.map(({ expression }) => toTarget(expression))
  return exported.filter((entry, index) => {
    const isFirst = exported.findIndex(({ symbol }) => symbol === entry.symbol) === index
    return isFirst && symbols.includes(entry.symbol)
  })
}

/**
 * @param {ts.Symbol} member
 * @param {ts.Symbol} type
 */
function isMemberOf(member, type) {
  return type.declarations?.some((declaration) => declaration === toDeclaration(member).parent)
}

/** @param {ts.Node} name */
function toTarget(name) {
  const symbol = checker.getSymbolAtLocation(name)
  return symbol && symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol
}

/** @param {ts.Symbol} member */
function toDeclaration(member) {
  const [declaration] = member.declarations ?? []
  if (!declaration) throw new Error(`'${member.name}' has no declaration.`)
  return declaration
}

/** @param {ts.Declaration} declaration */
function isOurs(declaration) {
  return !declaration.getSourceFile().fileName.includes('/node_modules/')
}

/** @param {ts.Symbol} member */
function isOverride(member) {
  return (ts.getCombinedModifierFlags(toDeclaration(member)) & ts.ModifierFlags.Override) !== 0
}

/** @param {ts.Symbol} member */
function isPrivate(member) {
  const { name } = /** @type {ts.NamedDeclaration} */ (toDeclaration(member))
  return name !== undefined && ts.isPrivateIdentifier(name)
}

/** @param {ts.Symbol} member */
function isOptional({ flags }) {
  return (flags & ts.SymbolFlags.Optional) !== 0
}

/**
 * @param {ts.Symbol} property
 * @param {Exported} entry
 */
function toRow(property, entry) {
  const declaration = toDeclaration(property)
  // The type as its author wrote it; that of an option which a schema declares is computed.
  const type = readType(declaration)
    ? toWrittenType(declaration)
    : toTypeText(checker.getTypeOfSymbol(property))
  const text = toText(property)
  if (!text) throw new Error(`'${property.name}' of '${entry.name}' has no TSDoc.`)
  return [
    `\`${property.name}${isOptional(property) ? '?' : ''}\``,
    linkType(type, entry),
    toDefault(readTags(declaration, 'default').join(' ')),
    linkText(text, entry),
  ]
}

// Without a column for defaults if there are none.
/** @param {readonly string[][]} rows */
function toTable(rows) {
  if (rows.length === 0) return ''
  const hasDefaults = rows.some(([, , value]) => value !== '')
  const head = ['Property', 'Type', 'Default', 'Description']
  return [head, head.map(() => '---'), ...rows]
    .map((cells) => cells.filter((_, index) => hasDefaults || index !== 2).map(toCell))
    .map((cells) => `| ${cells.join(' | ')} |`)
    .join('\n')
}

// A default is a value, a value and its meaning, or a description.
/** @param {string} text */
function toDefault(text) {
  const value = /^('[^']*'|\[.*?\]|\{.*?\}|[\d_]+|true|false|undefined)(?=$|[,:;]| in )/
  return text.replace(value, '`$1`')
}

/**
 * @param {ts.Symbol} method
 * @param {Exported} entry
 */
function describeMethod(method, entry) {
  const declaration = toDeclaration(method)
  const type = toFunction(declaration)
  const parameters = type?.parameters.map((parameter) => parameter.getText()).join(', ')
  // The name of a symbol is that of the source, `[Symbol.asyncDispose]`.
  const own = ts.getNameOfDeclaration(declaration)?.getText() ?? method.name
  const isStatic = (ts.getCombinedModifierFlags(declaration) & ts.ModifierFlags.Static) !== 0
  const name = `${isStatic ? `${entry.name}.` : ''}${own}${isOptional(method) ? '?' : ''}`
  const signature = toLine(`${name}(${parameters}): ${type?.type?.getText()}`)
  const details = describeCalls([declaration], entry).map((line) => `  ${line}`)
  const text = linkText(toLine(toText(method)), entry)
  const parts = [`- ${linkType(signature, entry)}`, `  ${text}`, details.join('\n')]
  return parts.filter(Boolean).join('\n\n')
}

// The function that a declaration is, or that its type describes.
/**
 * @param {ts.Node} node
 * @returns {ts.SignatureDeclaration | undefined}
 */
function toFunction(node) {
  if (ts.isAccessor(node)) return undefined
  if (ts.isFunctionLike(node)) return node
  if (ts.isUnionTypeNode(node)) {
    // That of an optional property: `((key: string) => void) | undefined`.
    const [first, ...others] = node.types
    return first && others.length === 1 ? toFunction(first) : undefined
  }
  const type = readType(node)
  return type && toFunction(type)
}

// The type that is written after a name or in parentheses.
/** @param {ts.Node} node */
function readType(node) {
  const isNamed =
    ts.isPropertySignature(node) ||
    ts.isPropertyDeclaration(node) ||
    ts.isParameter(node) ||
    ts.isVariableDeclaration(node)
  return isNamed || ts.isFunctionLike(node) || ts.isParenthesizedTypeNode(node)
    ? node.type
    : undefined
}

/** @param {ts.Declaration} declaration */
function toWrittenType(declaration) {
  const type = readType(declaration)
  if (!type) return toTypeText(checker.getTypeAtLocation(declaration))
  return withoutUndefined(toLine(withoutComments(type)))
}

// The table marks optional properties, so that their types need not name undefined.
/** @param {string} type */
function withoutUndefined(type) {
  return type.replace(/ \| undefined$/, '').replace(/^\((\(.*)\)$/, '$1')
}

/** @param {ts.Type} type */
function toTypeText(type) {
  const flags = ts.TypeFormatFlags.UseAliasDefinedOutsideCurrentScope
  const text = withoutUndefined(checker.typeToString(type, undefined, flags))
  if (!text.includes('{ ') || !text.includes('ZodType<')) return text
  // Options without a name, with all that their schema says.
  const names = checker
    .getNonNullableType(type)
    .getProperties()
    .map(({ name }) => `${name}?`)
  return `{ ${names.join(', ')} }`
}

/**
 * @param {ts.Node} node
 * @param {string} name
 */
function readTags(node, name) {
  const tags = ts.getJSDocTags(node).filter(({ tagName }) => tagName.text === name)
  return tags.map((tag) => toTagText(tag))
}

/** @param {ts.JSDocTag} tag */
function toTagText(tag) {
  return (ts.getTextOfJSDocComment(tag.comment) ?? '').replace(/^- /, '')
}

// Names of the reference in a type become links.
/**
 * @param {string} type
 * @param {Exported} entry
 */
function linkType(type, entry) {
  const linked = type.replaceAll(/(?<![\w'"]|[^.]\.)[A-Z]\w*/g, (name) => {
    const link = toLink(name, entry)
    return link ? `\`${link}\`` : name
  })
  return `\`${linked}\``.replaceAll('``', '')
}

// What TSDoc links, and other names of the reference except those that are also words.
/**
 * @param {string} text
 * @param {Exported} entry
 */
function linkText(text, entry) {
  return text
    .replaceAll(linkTags, (_link, name) => toLink(name, entry) ?? `\`${name}\``)
    .replaceAll(/(?<!\[)`(\w+)`/g, (code, name) =>
      /\w[A-Z]/.test(name) ? (toLink(name, entry) ?? code) : code,
    )
}

/**
 * @param {string} name
 * @param {Exported} entry
 */
function toLink(name, entry) {
  const [package_] = entry.page.split(/[-.]/)
  const found =
    exported.find((one) => one.name === name && one.page === entry.page) ??
    exported.find((one) => one.name === name && one.page.startsWith(package_ ?? ''))
  if (!found || found === entry) return undefined
  const page = found.page === entry.page ? '' : found.page.replace('reference/', '')
  return `[\`${name}\`](${page}#${found.anchor})`
}
