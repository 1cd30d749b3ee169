// @ts-check
// Writes dist/**/*.d.ts of each package: a file for each module whose types an entry point reaches. Types are
// checked by `npm run typecheck`; here the compiler only writes them. Usage: npm run build
import { mkdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import ts from 'typescript'
import { listEntryPoints, readManifest } from './packages.js'

const packages = fileURLToPath(new URL('../../packages', import.meta.url))
const entryPoints = listEntryPoints()
const program = createProgram()

write(entryPoints, 'js')
write(entryPoints.filter(isRequired), 'cjs')

/**
 * @param {string[]} from
 * @param {'js' | 'cjs'} extension
 */
function write(from, extension) {
  const reached = new Set(from)
  // The set grows while it is read: only what an entry point imports, directly or not, is emitted.
  for (const file of reached) {
    const text = emit(file)
    for (const [, name = ''] of text.matchAll(relativeImport())) {
      reached.add(path.resolve(path.dirname(file), `${name.replace(/^.*['"]/, '')}.ts`))
    }
    const target = toTarget(file, extension)
    mkdirSync(path.dirname(target), { recursive: true })
    // Every version of TypeScript finds `./a.d.ts` by `./a.js`.
    writeFileSync(target, text.replaceAll(relativeImport(), `$1.${extension}$3`))
  }
}

/**
 * @param {string} file
 * @returns {boolean} whether it is the main module of a package that can also be required
 */
function isRequired(file) {
  const [name = '', ...rest] = path.relative(packages, file).split(path.sep)
  const { main } = readManifest(path.join(packages, name))
  return main?.endsWith('.cjs') === true && rest.join('/') === 'src/index.ts'
}

function createProgram() {
  return ts.createProgram(entryPoints, {
    module: ts.ModuleKind.NodeNext,
    target: ts.ScriptTarget.ES2023,
    lib: ['lib.es2023.d.ts'],
    types: ['node'],
    typeRoots: [path.join(packages, '../node_modules/@types')],
    customConditions: ['@create-api/source'],
    allowImportingTsExtensions: true,
    verbatimModuleSyntax: true,
    strict: true,
    declaration: true,
    emitDeclarationOnly: true,
    noCheck: true,
    skipLibCheck: true,
  })
}

/**
 * @param {string} file
 * @returns {string} its declarations
 */
function emit(file) {
  let declarations = ''
  const { diagnostics } = program.emit(program.getSourceFile(file), (_name, text) => {
    declarations = text
  })
  if (diagnostics.length > 0) {
    const host = {
      getCanonicalFileName: (/** @type {string} */ name) => name,
      getCurrentDirectory: () => packages,
      getNewLine: () => '\n',
    }
    throw new Error(ts.formatDiagnostics(diagnostics, host))
  }
  return declarations
}

function relativeImport() {
  return /((?:from |import |import\()['"]\.{1,2}\/[^'"\n]+)(\.ts)(['"])/g
}

/**
 * @param {string} file
 * @param {'js' | 'cjs'} extension
 */
function toTarget(file, extension) {
  const [name = '', , ...rest] = path.relative(packages, file).split(path.sep)
  const target = path.join(packages, name, 'dist', ...rest)
  return target.replace(/\.ts$/, `.d.${extension.replace('js', 'ts')}`)
}
