import { execFileSync } from 'node:child_process'
import path from 'node:path'
import ts from 'typescript'
import { describe, expect, it } from 'vitest'

// What docs/express.md says about CommonJS, with the built package.
const file = path.join(import.meta.dirname, 'consumer.cts')
const code = `import { createApi } from '@create-api/core'
import { createAuth } from '@create-api/core/auth'
import { requestId } from '@create-api/core/pipeline'
export const parts = [createApi, createAuth, requestId]
`
const { ModuleKind, ModuleResolutionKind } = ts

describe('a CommonJS application', () => {
  it.each([
    ['commonjs with node10', ModuleKind.CommonJS, ModuleResolutionKind.Node10, []],
    ['nodenext', ModuleKind.NodeNext, ModuleResolutionKind.NodeNext, []],
    ['node20', ModuleKind.Node20, ModuleResolutionKind.NodeNext, []],
    ['node16', ModuleKind.Node16, ModuleResolutionKind.Node16, [1479, 1479, 1479]],
  ] as const)('in TypeScript with module %s', (_name, module, moduleResolution, errors) => {
    const options: ts.CompilerOptions = {
      module,
      moduleResolution,
      // node10 is deprecated since TypeScript 6.
      ignoreDeprecations: '6.0',
      target: ts.ScriptTarget.ES2023,
      types: ['node'],
      esModuleInterop: true,
      strict: true,
      noEmit: true,
      skipLibCheck: true,
    }
    const host = ts.createCompilerHost(options)
    const readSource = host.getSourceFile.bind(host)
    host.getSourceFile = (name, target, ...rest) =>
      name === file ? ts.createSourceFile(name, code, target) : readSource(name, target, ...rest)
    const program = ts.createProgram([file], options, host)
    const found = ts.getPreEmitDiagnostics(program, program.getSourceFile(file))
    expect(found.map((diagnostic) => diagnostic.code)).toEqual(errors)
  })

  it('loads every entry point with require, once', () => {
    const script = `
      const { ApiError } = require('@create-api/core')
      for (const name of ['auth', 'pipeline', 'resource']) require('@create-api/core/' + name)
      import('@create-api/core').then((core) => console.log(core.ApiError === ApiError))`
    const output = execFileSync(process.execPath, ['--input-type=commonjs', '-e', script], {
      cwd: import.meta.dirname,
    })
    expect(output.toString()).toBe('true\n')
  })
})
