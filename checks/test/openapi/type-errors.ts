import ts from 'typescript'

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
  const diagnostics = ts.getPreEmitDiagnostics(compiled)
  return diagnostics.map(({ messageText, file: at }) =>
    [at?.fileName, ts.flattenDiagnosticMessageText(messageText, ' ')].join(': '),
  )
}
