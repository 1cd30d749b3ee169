// @ts-check
// TSDoc is for what can be imported from an entry point. Rejects TSDoc tags (@param, @returns, ...)
// on functions that cannot be; scripts/docs/api-reference.js rejects exported names without TSDoc.
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import ts from 'typescript'
import { listEntryPoints } from '../release/packages.js'

const root = fileURLToPath(new URL('../..', import.meta.url))
const packages = path.join(root, 'packages')
const entryPoints = listEntryPoints()
const program = ts.createProgram(entryPoints, {
  module: ts.ModuleKind.NodeNext,
  target: ts.ScriptTarget.ES2023,
  customConditions: ['@create-api/source'],
  allowImportingTsExtensions: true,
  noEmit: true,
  skipLibCheck: true,
})
const checker = program.getTypeChecker()
const exported = findExported()
const findings = program
  .getSourceFiles()
  .filter(({ fileName }) => fileName.startsWith(packages) && !fileName.includes('node_modules'))
  .flatMap((file) =>
    file.statements
      .filter((statement) => ts.isFunctionDeclaration(statement) && !exported.has(statement))
      .filter((statement) => ts.getJSDocTags(statement).length > 0)
      .map((statement) => {
        const line = file.getLineAndCharacterOfPosition(statement.getStart()).line + 1
        return `${path.relative(root, file.fileName)}:${line}: TSDoc tags on a function that cannot be imported: remove them, keep the reasons as // comments`
      }),
  )
for (const finding of findings) console.error(finding)
process.exitCode = findings.length > 0 ? 1 : 0

function findExported() {
  const declarations = entryPoints.flatMap((file) => {
    const source = program.getSourceFile(file)
    const symbol = source && checker.getSymbolAtLocation(source)
    if (!symbol) return []
    return checker.getExportsOfModule(symbol).flatMap((one) => {
      const target = one.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(one) : one
      return target.declarations ?? []
    })
  })
  return new Set(declarations)
}
