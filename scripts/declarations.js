// @ts-check
// Writes dist/**/*.d.ts of each package: a file for each module whose types an entry point reaches. Types are
// checked by `npm run typecheck`; here the compiler only writes them. Usage: npm run build
import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import ts from 'typescript'

const packages = fileURLToPath(new URL('../packages', import.meta.url))
const entryPoints = readdirSync(packages)
  .map((name) => path.join(packages, name, 'src'))
  .filter((folder) => existsSync(folder))
  .flatMap((folder) =>
    readdirSync(folder)
      .filter((name) => name.endsWith('.ts') && !/\.test\.ts$|^worker\.ts$/.test(name))
      .map((name) => path.join(folder, name)),
  )

const texts = emit()
for (const file of findReached()) {
  const target = toTarget(file)
  mkdirSync(path.dirname(target), { recursive: true })
  // Every version of TypeScript finds `./a.d.ts` by `./a.js`.
  writeFileSync(target, (texts.get(file) ?? '').replaceAll(relativeImport(), '$1.js$3'))
}

/** @returns {Map<string, string>} declarations by the path they would have beside their sources */
function emit() {
  const program = ts.createProgram(entryPoints, {
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
  /** @type {Map<string, string>} */
  const written = new Map()
  const { diagnostics } = program.emit(undefined, (file, text) => {
    written.set(path.normalize(file), text)
  })
  if (diagnostics.length > 0) {
    const host = {
      getCanonicalFileName: (/** @type {string} */ name) => name,
      getCurrentDirectory: () => packages,
      getNewLine: () => '\n',
    }
    throw new Error(ts.formatDiagnostics(diagnostics, host))
  }
  return written
}

// Follows the imports between declarations, so that what only the code needs is left out.
function findReached() {
  const reached = new Set(entryPoints.map((file) => toDeclaration(file)))
  for (const file of reached) {
    for (const [, name] of (texts.get(file) ?? '').matchAll(relativeImport())) {
      reached.add(
        toDeclaration(path.resolve(path.dirname(file), `${name?.replace(/^.*['"]/, '')}.ts`)),
      )
    }
  }
  return reached
}

function relativeImport() {
  return /((?:from |import |import\()['"]\.{1,2}\/[^'"\n]+)(\.ts)(['"])/g
}

/** @param {string} file */
function toDeclaration(file) {
  return file.replace(/\.ts$/, '.d.ts')
}

/** @param {string} file */
function toTarget(file) {
  const [name = '', , ...rest] = path.relative(packages, file).split(path.sep)
  return path.join(packages, name, 'dist', ...rest)
}
