import { dirname, join } from 'node:path'
import ts from 'typescript'
import { describe, expect, it } from 'vitest'

const root = join(import.meta.dirname, '../../../../..')
const file = join(root, 'packages/core/src/editor-help.ts')
const text = `import { createApi } from './index.ts'
import { createAuth } from './auth.ts'
createApi({ server: { port: 3000 }, cors: { origins: [] }, auth: { mail: { appUrl: '' } } })
createAuth({ secrets: [], accessLifetime: '15m', password: { minLength: 8 } })
`

function createService(): ts.LanguageService {
  const { config } = ts.readConfigFile(join(root, 'tsconfig.json'), (path) => ts.sys.readFile(path))
  const { options } = ts.parseJsonConfigFileContent({ ...config, include: [] }, ts.sys, root)
  return ts.createLanguageService({
    ...ts.sys,
    useCaseSensitiveFileNames: () => ts.sys.useCaseSensitiveFileNames,
    getScriptFileNames: () => [file],
    getScriptVersion: () => '1',
    getScriptSnapshot(path) {
      const content = path === file ? text : ts.sys.readFile(path)
      return content === undefined ? undefined : ts.ScriptSnapshot.fromString(content)
    },
    getCurrentDirectory: () => dirname(file),
    getCompilationSettings: () => options,
    getDefaultLibFileName: (target) => ts.getDefaultLibFilePath(target),
  })
}

const service = createService()

function hover(option: string): string {
  const info = service.getQuickInfoAtPosition(file, text.search(new RegExp(`\\b${option}:`)))
  const tags = (info?.tags ?? []).map((tag) => `@${tag.name} ${ts.displayPartsToString(tag.text)}`)
  const [type, description] = [info?.displayParts, info?.documentation].map(ts.displayPartsToString)
  return [type, description, ...tags].join('\n')
}

describe('editor help', () => {
  it.each([
    ['port', /port\?: number \| undefined\nTCP port to listen on.*\n@default 3000$/],
    ['origins', /Who may read|Origins/],
    ['appUrl', /appUrl\?: string \| undefined\nAddress of the front end/],
    [
      'accessLifetime',
      /accessLifetime\?: Duration \| undefined\nLifetime of access.*\n@default '15m'$/,
    ],
    ['minLength', /minLength\?: number \| undefined\nMinimum length/],
  ])('shows type, description and default of %s', (option, expected) => {
    expect(hover(option)).toMatch(expected)
  })

  it('keeps the comments in the declarations of the package', () => {
    const schema = join(import.meta.dirname, 'api-options.ts')
    const [output] = service.getEmitOutput(schema, true, true).outputFiles
    expect(output?.text).toMatch(/\* TCP port to listen on.*\s+\* @default 3000\s+\*\/\s+port: /)
  })
})
