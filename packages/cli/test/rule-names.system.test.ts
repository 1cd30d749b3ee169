import ts from 'typescript'
import { describe, expect, it } from 'vitest'
import { CliError } from '../src/lib/errors/cli-error.ts'
import { parseConfig } from '../src/lib/project/config.ts'
import { type Project } from '../src/lib/project/open-project.ts'
import { renderResource } from '../src/lib/resource/render-resource.ts'
import { type GenerateRequest, resolveRequest } from '../src/lib/resource/resolve-request.ts'

// A rule is imported into the routes by its name. Each name that generated code contains is tried as one.

const project: Project = {
  root: '/nowhere',
  config: parseConfig('{}'),
  manifest: { version: 1, cli: '0.0.0', template: 'default', resources: {} },
  dependencies: {},
}

const requests: readonly GenerateRequest[] = [
  { name: 'pages', fields: ['title', 'slug:string:unique'], access: 'rule:NAME' },
  {
    name: 'pages',
    fields: ['title'],
    access: 'read=public,create=user,update=owner|rule:NAME,delete=rule:NAME',
  },
  { name: 'pages', fields: ['title'], access: 'read=user,write=rule:NAME', tenant: true },
]

async function render(request: GenerateRequest, rule: string): Promise<Map<string, string>> {
  const access = request.access?.replaceAll('NAME', rule)
  const { parts, resource } = resolveRequest(project, { ...request, access })
  const files = await renderResource(project, resource, parts)
  return new Map(files.map(({ path, text }) => [path, text]))
}

const usual = 'editors'

function parse(text: string): ts.SourceFile {
  return ts.createSourceFile('x.ts', text, ts.ScriptTarget.Latest, true)
}

function listWords(text: string): readonly string[] {
  const words: string[] = []
  const visit = (node: ts.Node): void => {
    if (ts.isIdentifier(node)) words.push(node.text)
    else if (node.kind >= ts.SyntaxKind.FirstKeyword && node.kind <= ts.SyntaxKind.LastKeyword) {
      words.push(node.getText())
    }
    ts.forEachChild(node, visit)
  }
  visit(parse(text))
  return words
}

const keywords =
  `await async break case catch class const continue debugger default delete do else enum export
  extends false finally for function if import in instanceof interface let new null of package private protected
  public return static super switch this throw true try type typeof var void while with yield`.split(
    /\s+/,
  )

// The names that a module imports or declares, each as often as it does.
function listBindings({ statements }: ts.SourceFile): readonly string[] {
  return statements.flatMap((statement) => {
    if (ts.isVariableStatement(statement)) {
      return statement.declarationList.declarations.map(({ name }) => name.getText())
    }
    if (!ts.isImportDeclaration(statement)) return []
    const bindings = statement.importClause?.namedBindings
    if (!bindings) return []
    return ts.isNamespaceImport(bindings)
      ? [bindings.name.text]
      : bindings.elements.map(({ name }) => name.text)
  })
}

// What is wrong in the files of a resource whose rule has a name, compared with those of the usual name.
function findFaults(
  name: string,
  files: ReadonlyMap<string, string>,
  usualFiles: ReadonlyMap<string, string>,
): string[] {
  return [...files].flatMap(([path, text]) => {
    if (!path.endsWith('.routes.ts')) {
      return text === usualFiles.get(path) ? [] : [`${name} changes ${path}`]
    }
    const file = parse(text)
    const bindings = listBindings(file)
    const imported = /import \{ (\w+) \} from '[^']*\/access\.js'/.exec(text)?.[1]
    const { parseDiagnostics = [] } = file as { parseDiagnostics?: readonly unknown[] }
    return [
      ...(imported === name ? [] : [`${name} is not imported`]),
      ...(new Set(bindings).size === bindings.length ? [] : [`${name} is declared twice`]),
      ...(parseDiagnostics.length === 0 ? [] : [`${name} is a syntax error`]),
    ]
  })
}

describe('GEN-13 a rule of the application', () => {
  it.each(requests)('is imported into the routes, or refused: $access', async (request) => {
    const usualFiles = await render(request, usual)
    const words = [...usualFiles.values()].flatMap(listWords)
    const names = new Set([...words, ...keywords].filter((word) => /^[a-z]\w*$/i.test(word)))
    const faults: string[] = []
    let refused = 0
    for (const name of names) {
      try {
        faults.push(...findFaults(name, await render(request, name), usualFiles))
      } catch (error) {
        if (!(error instanceof CliError) || error.code !== 'USAGE') throw error
        refused += 1
      }
    }
    expect(faults).toEqual([])
    expect(refused).toBeGreaterThan(60)
  })

  it.each(['createRouter', 'success', 'pages', 'PageModel', 'pagesRouter'])(
    'cannot be called %s, which the routes use',
    (name) => {
      expect(() =>
        resolveRequest(project, { name: 'pages', fields: ['title'], access: `rule:${name}` }),
      ).toThrow(`--access rule:${name}: the generated routes use "${name}" themselves`)
    },
  )

  it.each(['class', 'default', 'await', 'public'])(
    'cannot be called %s, a word of the language',
    (name) => {
      expect(() =>
        resolveRequest(project, { name: 'pages', fields: ['title'], access: `rule:${name}` }),
      ).toThrow(`"${name}" is a reserved word of JavaScript`)
    },
  )
})
