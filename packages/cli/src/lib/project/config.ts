import { closestName } from '@create-api/core/internal/closest-name'
import { CliError } from '../errors/cli-error.ts'
import { type InflectionRules } from '../names/inflect.ts'

// Its presence makes a folder a project.
export const configFile = 'api.config.json'

export const formatChoices = ['auto', 'oxfmt', 'biome', 'prettier', 'none'] as const

// The values of `tenants.from` in createApi.
export const tenantChoices = ['path', 'header', 'token'] as const

export type FormatChoice = (typeof formatChoices)[number]

const extensions = ['.js', '.ts', ''] as const

// The settings of api.config.json. schema.json describes them for editors, which a test compares.
export interface ProjectConfig {
  readonly srcDir: string
  readonly resourcesDir: string
  /** File that mounts the routers. */
  readonly registry: string
  /** Folder of the project's own templates. */
  readonly templates: string
  /** Extension of relative imports. */
  readonly importExtension: (typeof extensions)[number]
  /** `auto` uses the formatter among the dependencies. */
  readonly format: FormatChoice
  /** How requests name their organization: `path` mounts resources of `--tenant` below `/api/orgs/:org`. */
  readonly tenants: (typeof tenantChoices)[number]
  readonly inflections: InflectionRules
  /** Routes that anyone may write with on purpose, such as a login: `POST /api/users/login`. */
  readonly publicWrites: readonly string[]
}

export const defaults: ProjectConfig = {
  srcDir: 'src',
  resourcesDir: 'src/resources',
  registry: 'src/routes.ts',
  templates: 'templates',
  importExtension: '.js',
  format: 'auto',
  tenants: 'path',
  inflections: { irregular: {}, uncountable: [] },
  publicWrites: [],
}

// Generated code contains the paths between quotes, in its imports.
const unquotable = /["'`\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u

type Settings = Readonly<Record<string, unknown>>

// Reports every problem of the file at once.
export function parseConfig(text: string): ProjectConfig {
  const { $schema: _schema, ...settings } = parseObject(text)
  const problems = Object.keys(settings)
    .filter((key) => !Object.hasOwn(defaults, key))
    .map((key) => {
      const near = closestName(key, Object.keys(defaults))
      return `"${key}" is unknown${near === undefined ? '' : `; did you mean "${near}"?`}`
    })
  const readPath = (key: 'srcDir' | 'resourcesDir' | 'registry' | 'templates'): string => {
    const value = settings[key] ?? defaults[key]
    if (!isPathInside(value)) {
      problems.push(`"${key}" must be a path inside the project, with "/"`)
    } else if (unquotable.test(value)) {
      problems.push(`"${key}" must not contain quotes or invisible characters`)
    } else return value.replace(/\/$/, '')
    return defaults[key]
  }
  const readChoice = <Choice extends string>(
    key: 'importExtension' | 'format' | 'tenants',
    choices: readonly [Choice, ...Choice[]],
  ): Choice => {
    const value = settings[key]
    const choice = value === undefined ? choices[0] : choices.find((item) => item === value)
    if (choice !== undefined) return choice
    problems.push(`"${key}" must be one of ${choices.map((item) => `"${item}"`).join(', ')}`)
    return choices[0]
  }
  const inflections = readInflections(settings['inflections'] ?? {})
  const publicWrites = readPublicWrites(settings['publicWrites'] ?? [])
  const config: ProjectConfig = {
    srcDir: readPath('srcDir'),
    resourcesDir: readPath('resourcesDir'),
    registry: readPath('registry'),
    templates: readPath('templates'),
    importExtension: readChoice('importExtension', extensions),
    format: readChoice('format', formatChoices),
    tenants: readChoice('tenants', tenantChoices),
    inflections: inflections ?? defaults.inflections,
    publicWrites: publicWrites ?? defaults.publicWrites,
  }
  if (inflections === undefined) {
    problems.push('"inflections" must have "irregular" pairs and "uncountable" words in lower case')
  }
  if (publicWrites === undefined) {
    problems.push('"publicWrites" must be a list of routes such as "POST /api/users/login"')
  }
  if (problems.length > 0) throw invalidConfig(problems)
  return config
}

function parseObject(text: string): Settings {
  try {
    const value: unknown = JSON.parse(text)
    if (isObject(value)) return value
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

function isPathInside(value: unknown): value is string {
  if (typeof value !== 'string' || !/^[^/\\\0][^\\\0]*$/.test(value)) return false
  return !value.split('/').includes('..')
}

function readInflections(value: unknown): InflectionRules | undefined {
  if (!isObject(value)) return undefined
  const { irregular = {}, uncountable = [] } = value
  if (!isObject(irregular) || !Array.isArray(uncountable)) return undefined
  const pairs = Object.entries(irregular).map(([one, many]) => [one, String(many)] as const)
  const words: readonly unknown[] = [...Object.entries(irregular).flat(), ...uncountable]
  if (!words.every((word) => typeof word === 'string' && /^[a-z][a-z0-9]*$/.test(word))) {
    return undefined
  }
  return { irregular: Object.fromEntries(pairs), uncountable: uncountable.map(String) }
}

function readPublicWrites(value: unknown): readonly string[] | undefined {
  if (!Array.isArray(value)) return undefined
  const routes: readonly unknown[] = value
  return routes.every(isWrite) ? routes : undefined
}

function isWrite(route: unknown): route is string {
  return typeof route === 'string' && /^(POST|PUT|PATCH|DELETE) \/\S*$/.test(route)
}

function isObject(value: unknown): value is Settings {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
