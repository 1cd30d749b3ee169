import ts from 'typescript'

// The check of types reports on these, and checking them again for each program takes most of its time.
const ownSources = /\/packages\/[\w-]+\/src\//

/** What the compiler reports about programs, in strict mode. */
export function findTypeErrors(
  files: string | readonly string[],
  options: ts.CompilerOptions = {},
): string[] {
  const compiled = ts.createProgram([files].flat(), {
    strict: true,
    noUncheckedIndexedAccess: true,
    target: ts.ScriptTarget.ES2023,
    lib: ['lib.es2023.d.ts', 'lib.dom.d.ts', 'lib.dom.iterable.d.ts'],
    module: ts.ModuleKind.NodeNext,
    jsx: ts.JsxEmit.ReactJSX,
    moduleResolution: ts.ModuleResolutionKind.NodeNext,
    allowImportingTsExtensions: true,
    noEmit: true,
    skipLibCheck: true,
    types: [],
    ...options,
  })
  const checked = compiled
    .getSourceFiles()
    .filter(({ fileName, isDeclarationFile }) => !isDeclarationFile && !ownSources.test(fileName))
  const diagnostics = [
    ...compiled.getConfigFileParsingDiagnostics(),
    ...compiled.getOptionsDiagnostics(),
    ...compiled.getGlobalDiagnostics(),
    ...checked.flatMap((file) => [
      ...compiled.getSyntacticDiagnostics(file),
      ...compiled.getSemanticDiagnostics(file),
    ]),
  ]
  return diagnostics.map(({ messageText, file: at }) =>
    [at?.fileName, ts.flattenDiagnosticMessageText(messageText, ' ')].join(': '),
  )
}
