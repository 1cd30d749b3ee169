// @ts-check
// Prints the code lines of each package by folder: lines that are neither blank nor comment, without tests.
// Usage: node scripts/measure/code-lines.js [package ...]
import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import ts from 'typescript'

const root = fileURLToPath(new URL('../..', import.meta.url))

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const named = process.argv.slice(2)
  for (const name of named.length > 0 ? named : listPackages()) print(name)
}

/** @returns {string[]} the folders of packages/ that contain source code */
export function listPackages() {
  return readdirSync(path.join(root, 'packages'))
}

/**
 * @param {string} name - folder of the package in packages/
 * @returns {Map<string, number>} code lines by folder of src/lib; the files beside the folders are under `.`
 */
export function countCodeLines(name) {
  const source = path.join(root, 'packages', name, 'src')
  /** @type {Map<string, number>} */
  const lines = new Map()
  for (const file of readdirSync(source, { recursive: true, encoding: 'utf8' }).toSorted()) {
    if (!/\.tsx?$/.test(file) || /\.(?:test|bench)\.ts$/.test(file)) continue
    const [lib, folder, inner] = file.split(path.sep)
    const key = lib === 'lib' && folder && inner ? folder : '.'
    lines.set(key, (lines.get(key) ?? 0) + countLines(path.join(source, file)))
  }
  return lines
}

/** @param {string} name */
function print(name) {
  const lines = countCodeLines(name)
  const total = [...lines.values()].reduce((sum, count) => sum + count, 0)
  console.log(`packages/${name}: ${total}`)
  for (const [folder, count] of lines) console.log(`  ${String(count).padStart(6)}  ${folder}`)
}

/**
 * @param {string} file
 * @returns {number} lines that contain a token
 */
function countLines(file) {
  const text = readFileSync(file, 'utf8')
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest)
  /** @type {Set<number>} */
  const found = new Set()
  visit(source)
  return found.size

  /** @param {ts.Node} node */
  function visit(node) {
    const children = node.getChildren(source).filter((child) => !isComment(child))
    if (children.length === 0 && node.getWidth(source) > 0) addLines(node)
    for (const child of children) visit(child)
  }

  /** @param {ts.Node} node */
  function addLines(node) {
    const first = source.getLineAndCharacterOfPosition(node.getStart(source)).line
    const own = node.getText(source).split('\n')
    for (const [index, line] of own.entries()) if (line.trim() !== '') found.add(first + index)
  }
}

/** @param {ts.Node} node */
function isComment({ kind }) {
  return kind >= ts.SyntaxKind.FirstJSDocNode && kind <= ts.SyntaxKind.LastJSDocNode
}
