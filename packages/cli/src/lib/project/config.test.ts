import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { formatChoices, languages, parseConfig, tenantChoices } from './config.ts'

const schema = JSON.parse(
  readFileSync(new URL('../../../schema.json', import.meta.url), 'utf8'),
).properties

it('has the defaults and choices of schema.json', () => {
  const { extension: _extension, ...defaults } = parseConfig('{}')
  const { inflections, ...scalars } = defaults
  expect(Object.keys(schema).toSorted()).toEqual(['$schema', ...Object.keys(defaults)].toSorted())
  expect(Object.keys(schema.inflections.properties)).toEqual(Object.keys(inflections))
  for (const [key, value] of Object.entries(scalars)) expect(schema[key].default).toEqual(value)
  expect(schema.language.enum).toEqual(languages)
  expect(schema.format.enum).toEqual(formatChoices)
  expect(schema.tenants.enum).toEqual(tenantChoices)
  for (const importExtension of schema.importExtension.enum) {
    expect(parseConfig(JSON.stringify({ importExtension }))).toMatchObject({ importExtension })
  }
})

it.each([
  ['typescript', 'esm', '.ts', '.js'],
  ['javascript', 'esm', '.js', '.js'],
  ['javascript', 'src', '.mjs', '.mjs'],
])('writes %s in the folder %s into %s files', (language, srcDir, extension, importExtension) => {
  const config = parseConfig(JSON.stringify({ language, srcDir }), (folder) => folder === 'esm')
  expect(config).toMatchObject({ extension, importExtension, registry: `src/routes${extension}` })
  const own = parseConfig(JSON.stringify({ language, srcDir, registry: 'api/mounts.js' }))
  expect(own.registry).toBe('api/mounts.js')
})

it('reports every problem at once', () => {
  const text = JSON.stringify({
    language: 'js',
    srcdir: 'a',
    registry: '../a',
    format: 'x',
    inflections: [],
    publicWrites: ['GET /a'],
  })
  expect(() => parseConfig(text)).toThrow(
    expect.objectContaining({
      details: [
        '  "srcdir" is unknown; did you mean "srcDir"?',
        '  "language" must be one of "typescript", "javascript"',
        '  "registry" must be a path inside the project, with "/"',
        '  "format" must be one of "auto", "oxfmt", "biome", "prettier", "none"',
        '  "inflections" must have "irregular" pairs and "uncountable" words in lower case',
        '  "publicWrites" must be a list of routes such as "POST /api/users/login"',
      ],
    }),
  )
})

// Generated imports contain the paths.
it.each(["it's", "a'; run(); '", 'a"b', 'a`b', 'a\nb', 'a\u2028b', 'a\u202Eb'])(
  'rejects paths such as %j, which would end the text of an import',
  (path) => {
    const keys = ['srcDir', 'resourcesDir', 'registry', 'templates'] as const
    const text = JSON.stringify(Object.fromEntries(keys.map((key) => [key, path])))
    const details = keys.map((key) => `  "${key}" must not contain quotes or invisible characters`)
    expect(() => parseConfig(text)).toThrow(expect.objectContaining({ details }))
  },
)

it.each(['src', 'src/my resources', 'apps/日本/src', 'src/$x/(a)/[b]'])(
  'accepts the path %s',
  (path) => {
    expect(parseConfig(JSON.stringify({ srcDir: path })).srcDir).toBe(path)
  },
)

it.each(['constructor', 'toString', '__proto__'])('rejects the unknown key %s', (key) => {
  expect(() => parseConfig(`{ "${key}": {} }`)).toThrow(
    expect.objectContaining({ details: [`  "${key}" is unknown`] }),
  )
})
