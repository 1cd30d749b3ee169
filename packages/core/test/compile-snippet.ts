import path from 'node:path'
import ts from 'typescript'

/**
 * Compiles code of an application as a separate program, so that its declarations affect no test.
 * @param code - the content of a module
 * @returns what the compiler reports about it, and about the types that it extends
 */
export function compileSnippet(code: string): string[] {
  const file = path.join(import.meta.dirname, 'snippet.ts')
  const options: ts.CompilerOptions = {
    module: ts.ModuleKind.NodeNext,
    target: ts.ScriptTarget.ES2023,
    customConditions: ['@create-api/source'],
    allowImportingTsExtensions: true,
    types: ['node'],
    strict: true,
    noEmit: true,
    skipLibCheck: true,
  }
  const host = ts.createCompilerHost(options)
  const readSource = host.getSourceFile.bind(host)
  host.getSourceFile = (name, ...rest) =>
    name === file
      ? ts.createSourceFile(name, code, ts.ScriptTarget.ES2023)
      : readSource(name, ...rest)
  const program = ts.createProgram([file], options, host)
  // Where the types are declared: the two declarations must not contradict each other.
  const library = path.join(import.meta.dirname, '../src/lib')
  return [file, path.join(library, 'route/request.ts'), path.join(library, 'access/caller.ts')]
    .flatMap((name) => program.getSemanticDiagnostics(program.getSourceFile(name)))
    .map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, '\n'))
}
