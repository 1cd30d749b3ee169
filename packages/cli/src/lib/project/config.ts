import * as z from 'zod/mini'
import { CliError } from '../errors/cli-error.ts'
import { didYouMean } from '../errors/suggest-name.ts'

// Its presence makes a folder a project.
export const configFile = 'api.config.json'

export const formatChoices = ['auto', 'oxfmt', 'biome', 'prettier', 'none'] as const

export const languages = ['typescript', 'javascript'] as const

// The values of `tenants.from` in createApi.
export const tenantChoices = ['path', 'header', 'token'] as const

// Generated code contains the paths between quotes, in its imports.
const unquotable = /["'`\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u
const outside = 'must be a path inside the project, with "/"'

const path = z.string(outside).check(
  z.refine((value) => /^[^/\\\0][^\\\0]*$/.test(value) && !value.split('/').includes('..'), {
    error: outside,
    abort: true,
  }),
  z.refine((value) => !unquotable.test(value), 'must not contain quotes or invisible characters'),
  z.overwrite((value) => value.replace(/\/$/, '')),
)

const notInflections = 'must have "irregular" pairs and "uncountable" words in lower case'
const word = z.string(notInflections).check(z.regex(/^[a-z][a-z0-9]*$/, notInflections))

const notWrites = 'must be a list of routes such as "POST /api/users/login"'
const write = z.string(notWrites).check(z.regex(/^(POST|PUT|PATCH|DELETE) \/\S*$/, notWrites))

// The settings of api.config.json. schema.json describes them for editors, which a test compares.
const settings = z.object({
  language: oneOf(languages),
  srcDir: z.prefault(path, 'src'),
  resourcesDir: z.prefault(path, 'src/resources'),
  /** File that mounts the routers. */
  registry: z.optional(path),
  /** Folder of the project's own templates. */
  templates: z.prefault(path, 'templates'),
  /** Extension of relative imports of TypeScript. */
  importExtension: oneOf(['.js', '.ts', '']),
  /** `auto` uses the formatter among the dependencies. */
  format: oneOf(formatChoices),
  /** How requests name their organization: `path` mounts resources of `--tenant` below `/api/orgs/:org`. */
  tenants: oneOf(tenantChoices),
  inflections: z.prefault(
    z.object(
      {
        /** Singular to plural. */
        irregular: z.prefault(z.record(word, word, notInflections), {}),
        /** Words that are their own plural. */
        uncountable: z.prefault(z.array(word, notInflections), []),
      },
      notInflections,
    ),
    {},
  ),
  /** Routes that anyone may write with on purpose, such as a login: `POST /api/users/login`. */
  publicWrites: z.prefault(z.array(write, notWrites), []),
})

export type Extension = '.ts' | '.js' | '.mjs'

export type ProjectConfig = Omit<z.output<typeof settings>, 'importExtension' | 'registry'> & {
  readonly registry: string
  /** Extension of relative imports. */
  readonly importExtension: Extension | ''
  /** Extension of the files of source code, which are ES modules. */
  readonly extension: Extension
}

// The first one is the default.
function oneOf<const Choices extends readonly [string, ...string[]]>(choices: Choices) {
  const [first] = choices
  const quoted = choices.map((choice) => `"${choice}"`)
  return z.prefault(z.enum(choices, `must be one of ${quoted.join(', ')}`), first)
}

// Reports every problem of the file at once. `isModuleFolder` says whether `.js` files of a folder are ES modules.
export function parseConfig(
  text: string,
  isModuleFolder: (folder: string) => boolean = () => true,
): ProjectConfig {
  const value = parseObject(text)
  const known = Object.keys(settings.shape)
  const unknown = Object.keys(value).filter((key) => key !== '$schema' && !known.includes(key))
  const { data, error } = settings.safeParse(value)
  const problems = [
    ...unknown.map((key) => {
      const hint = didYouMean(key, known)
      return `"${key}" is unknown${hint === undefined ? '' : `; ${hint}`}`
    }),
    ...(error?.issues ?? []).map(({ message, path: [key] }) => `"${String(key)}" ${message}`),
  ]
  if (data === undefined || problems.length > 0) throw invalidConfig([...new Set(problems)])
  const extension = chooseExtension(data.language, () => isModuleFolder(data.srcDir))
  return {
    ...data,
    registry: data.registry ?? `src/routes${extension}`,
    importExtension: extension === '.ts' ? data.importExtension : extension,
    extension,
  }
}

function chooseExtension(language: (typeof languages)[number], isModule: () => boolean): Extension {
  if (language === 'typescript') return '.ts'
  return isModule() ? '.js' : '.mjs'
}

function parseObject(text: string): object {
  try {
    const value: unknown = JSON.parse(text)
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value
  } catch (error) {
    throw invalidConfig([error instanceof Error ? error.message : String(error)])
  }
  throw invalidConfig(['it is not an object'])
}

function invalidConfig(problems: readonly string[]): CliError {
  return new CliError('INVALID_CONFIG', `${configFile} is not valid`, {
    details: problems.map((problem) => `  ${problem}`),
    files: [configFile],
  })
}
