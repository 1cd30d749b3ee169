import { CliError } from '../errors.ts'
import { type InflectionRules } from '../names/inflect.ts'
import { suggest } from '../suggest.ts'

/** Name of the file that makes a folder a project. */
export const configFile = 'api.config.json'

/** Which formatter is run over files the generator touches. */
export const formatChoices = ['auto', 'oxfmt', 'biome', 'prettier', 'none'] as const

/** One of {@link formatChoices}. */
export type FormatChoice = (typeof formatChoices)[number]

/** Settings of a project, from `api.config.json`. */
export interface ProjectConfig {
  /** Folder of the source code. */
  readonly srcDir: string
  /** Folder of the resources. */
  readonly resourcesDir: string
  /** File that mounts the routers. */
  readonly registry: string
  /** Folder of the project's own templates. */
  readonly templates: string
  /** Extension of relative imports. */
  readonly importExtension: '.js' | '.ts' | ''
  /** Formatter; `auto` takes the one among the dependencies. */
  readonly format: FormatChoice
  /** Plurals of the project's own words. */
  readonly inflections: InflectionRules
}

const defaults: ProjectConfig = {
  srcDir: 'src',
  resourcesDir: 'src/resources',
  registry: 'src/routes.ts',
  templates: 'templates',
  importExtension: '.js',
  format: 'auto',
  inflections: { irregular: {}, uncountable: [] },
}

/**
 * Reads the settings of a project.
 *
 * @param text content of `api.config.json`
 * @returns the settings with their defaults
 * @throws CliError `INVALID_CONFIG` that lists every fault
 */
export function parseConfig(text: string): ProjectConfig {
  const input = parseObject(text)
  const faults: string[] = []
  const { $schema: _schema, ...settings } = input
  for (const key of Object.keys(settings)) {
    if (key in defaults) continue
    const near = suggest(key, Object.keys(defaults))
    faults.push(`"${key}" is unknown${near === undefined ? '' : `; did you mean "${near}"?`}`)
  }
  const config: ProjectConfig = {
    srcDir: readPath(settings, 'srcDir', faults),
    resourcesDir: readPath(settings, 'resourcesDir', faults),
    registry: readPath(settings, 'registry', faults),
    templates: readPath(settings, 'templates', faults),
    importExtension: readChoice(settings['importExtension'], 'importExtension', {
      choices: ['.js', '.ts', ''],
      faults,
    }),
    format: readChoice(settings['format'], 'format', { choices: formatChoices, faults }),
    inflections: readInflections(settings['inflections'], faults),
  }
  if (faults.length > 0) throw invalid(faults)
  return config
}

type Settings = Readonly<Record<string, unknown>>

function parseObject(text: string): Settings {
  try {
    const value: unknown = JSON.parse(text)
    if (isObject(value)) return value
  } catch (error) {
    throw invalid([error instanceof Error ? error.message : String(error)])
  }
  throw invalid(['it is not an object'])
}

function invalid(faults: readonly string[]): CliError {
  return new CliError('INVALID_CONFIG', `${configFile} is not valid`, {
    details: faults.map((fault) => `  ${fault}`),
    files: [configFile],
  })
}

function readPath(
  settings: Settings,
  key: 'srcDir' | 'resourcesDir' | 'registry' | 'templates',
  faults: string[],
): string {
  const value = settings[key] ?? defaults[key]
  const valid = typeof value === 'string' && /^[^/\\\0][^\\\0]*$/.test(value)
  if (valid && !value.split('/').includes('..')) return value.replace(/\/$/, '')
  faults.push(`"${key}" must be a path inside the project, with "/"`)
  return defaults[key]
}

function readChoice<Choice extends string>(
  value: unknown,
  key: string,
  reading: { readonly choices: readonly [Choice, ...Choice[]]; readonly faults: string[] },
): Choice {
  const { choices, faults } = reading
  if (value === undefined) return choices[0]
  const choice = choices.find((candidate) => candidate === value)
  if (choice !== undefined) return choice
  const list = choices.map((item) => JSON.stringify(item)).join(', ')
  faults.push(`"${key}" must be one of ${list}`)
  return choices[0]
}

function readInflections(value: unknown, faults: string[]): InflectionRules {
  const settings = value ?? {}
  const irregular = isObject(settings) ? readPairs(settings['irregular'] ?? {}) : undefined
  const uncountable = isObject(settings) ? readWords(settings['uncountable'] ?? []) : undefined
  if (irregular !== undefined && uncountable !== undefined) return { irregular, uncountable }
  faults.push('"inflections" must hold "irregular" pairs and "uncountable" words in lower case')
  return defaults.inflections
}

function readPairs(value: unknown): Record<string, string> | undefined {
  if (!isObject(value)) return undefined
  const words = readWords(Object.entries(value).flat())
  if (words === undefined) return undefined
  return Object.fromEntries(Object.entries(value).map(([one, many]) => [one, String(many)]))
}

function readWords(value: unknown): readonly string[] | undefined {
  if (!Array.isArray(value)) return undefined
  const words = value.filter((word) => typeof word === 'string' && /^[a-z][a-z0-9]*$/.test(word))
  return words.length === value.length ? words : undefined
}

function isObject(value: unknown): value is Settings {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
