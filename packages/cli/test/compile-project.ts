import { join } from 'node:path'
import ts from 'typescript'

/** Returns what TypeScript reports about the files of a project, as its own compiler would with these flags. */
export function compile(root: string): string[] {
  const { config } = ts.readConfigFile(join(root, 'tsconfig.json'), (name) => ts.sys.readFile(name))
  const { fileNames, options } = ts.parseJsonConfigFileContent(config, ts.sys, root, {
    noUnusedLocals: true,
    noUnusedParameters: true,
    incremental: false,
    // The framework's sources, not what was built last.
    customConditions: ['@create-api/source'],
    allowImportingTsExtensions: true,
    preserveSymlinks: true,
  })
  const program = ts.createProgram(fileNames, options)
  return fileNames
    .flatMap((name) => program.getSemanticDiagnostics(program.getSourceFile(name)))
    .map(({ file, messageText }) => {
      const name = file?.fileName.slice(root.length + 1) ?? ''
      return `${name}: ${ts.flattenDiagnosticMessageText(messageText, '\n')}`
    })
}
