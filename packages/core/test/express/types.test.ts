import { readFile } from 'node:fs/promises'
import path from 'node:path'
import ts from 'typescript'
import { describe, expect, it } from 'vitest'

const text = await readFile(path.join(import.meta.dirname, '../../../../docs/express.md'), 'utf8')
const [, section = ''] = /## The type of `req\.user`\n([\s\S]*?)\n## /.exec(text) ?? []
const snippets = [...section.matchAll(/```ts\n([\s\S]*?)```/g)].map(([, code = '']) => code)

describe('docs/express.md on the type of req.user', () => {
  it.each([
    ['the declaration of an existing application', 0],
    ['the interfaces of the framework', 1],
  ])('shows %s so that it compiles', (_title, index) => {
    expect(compile(snippets[index] ?? 'missing')).toEqual([])
  })

  it('compiles strictly', () => {
    const wrong = (snippets[0] ?? '').replace('req.user.email', 'req.user.name')
    expect(compile(wrong)).toEqual([expect.stringContaining("'name' does not exist")])
  })
})

// The errors of a file that is a separate program.
function compile(code: string): string[] {
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
  const declaration = path.join(import.meta.dirname, '../../src/lib/kernel/request.ts')
  return [file, declaration]
    .flatMap((name) => program.getSemanticDiagnostics(program.getSourceFile(name)))
    .map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, '\n'))
}
