import { resolve } from 'node:path'
import ts from 'typescript'
import { beforeAll, expect, it } from 'vitest'

const client = resolve('examples/blog/src/client.ts')
const file = resolve('examples/blog/src/quick-info.ts')
const text = `import { createClient, type UpdatePostFailure } from './client.js'
const client = createClient({ url: 'https://api.example.com' })
const result = await client.posts.patch('1', { title: 'a' }).safe()
if (!result.ok) void result.error
for await (const post of client.posts.each({ status: 'draft' })) void post
export type Failures = UpdatePostFailure
`

let service: ts.LanguageService

beforeAll(() => {
  const options: ts.CompilerOptions = {
    strict: true,
    target: ts.ScriptTarget.ES2023,
    module: ts.ModuleKind.NodeNext,
    customConditions: ['@create-api/source'],
    allowImportingTsExtensions: true,
    noEmit: true,
    types: ['node'],
  }
  service = ts.createLanguageService({
    getCompilationSettings: () => options,
    getScriptFileNames: () => [file, client],
    getScriptVersion: () => '1',
    getScriptSnapshot: (name) => {
      const content = name === file ? text : ts.sys.readFile(name)
      return content === undefined ? undefined : ts.ScriptSnapshot.fromString(content)
    },
    getCurrentDirectory: () => process.cwd(),
    getDefaultLibFileName: ts.getDefaultLibFilePath,
    fileExists: (name) => name === file || ts.sys.fileExists(name),
    readFile: (name) => ts.sys.readFile(name),
    directoryExists: (name) => ts.sys.directoryExists(name),
  })
})

// What an editor shows for the last of these words.
function show(words: string): string {
  const at = text.indexOf(words) + words.length - 1
  const info = service.getQuickInfoAtPosition(file, at)
  return ts.displayPartsToString(info?.displayParts).replaceAll(/\s+/g, ' ')
}

it('is text that compiles', () => {
  expect(service.getSemanticDiagnostics(file).map(({ messageText }) => messageText)).toEqual([])
})

it.each([
  [
    'client.posts.patch',
    '(method) PostsClient.patch(id: string | { readonly id: string; }, body: UpdatePost, options?: CallOptions): Call<Post, UpdatePostFailure>',
  ],
  [
    'client.posts.each',
    '(method) PostsClient.each(query?: EachQuery<ListPostsQuery>, options?: EachOptions): AsyncIterable<PostView>',
  ],
  ['const result', 'const result: Result<Post, UpdatePostFailure>'],
  ['void result.error', '(property) error: UpdatePostFailure | ClientFailure'],
  [
    'Failures = UpdatePostFailure',
    '(alias) type UpdatePostFailure = CommonFailure | AuthenticationFailure | PathFailure | BodyFailure | Failure<"conflict", 409> | Failure<"duplicate", 409> | PreconditionFailure<PostView> import UpdatePostFailure',
  ],
])('an editor shows %s readably', (words, shown) => {
  expect(show(words)).toBe(shown)
})
