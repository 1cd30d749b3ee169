import { CliError } from '../errors/cli-error.ts'
import { type ResourceNames } from './resource-names.ts'

// Everyday nouns that are keywords in some positions only (type, module, namespace) stay usable.
const keywords = words(`
  abstract any arguments as asserts async await bigint boolean break case catch class const
  continue debugger declare default delete do else enum eval export extends false finally for from
  function get global if implements import in infer instanceof interface is keyof let never new
  null number object of package private protected public readonly require return satisfies set
  static string super switch symbol this throw true try typeof undefined unique unknown using var
  void while with yield`)

// What cannot be the name of a parameter, a constant or an import. Other words, such as `number` and `of`, can.
const reservedWords = words(`
  arguments await break case catch class const continue debugger default delete do else enum eval export
  extends false finally for function if implements import in instanceof interface let new null package
  private protected public return static super switch this throw true try typeof var void while with
  yield`)

export function isReservedWord(name: string): boolean {
  return reservedWords.has(name)
}

const prototypes = new Set(
  ['prototype', ...Object.getOwnPropertyNames(Object.prototype)].map((name) => name.toLowerCase()),
)

const builtIns = words(`
  Object Array Map Set Date Error Promise Symbol Function Document Model Schema Router Request Response
  String Number Boolean Buffer Record Partial Required Readonly Pick Omit Types`)

export const accountModel = 'User'

const frameworkModels = words('User Session LoginThrottle MailToken')

const paths = words('auth health docs openapi v1 index metrics')

const windowsDevices = /^(con|prn|aux|nul|com[0-9]|lpt[0-9])$/

const templateIdentifiers = words(
  'z service success req res params router express mongoose vitest emailAddress webUrl',
)

export function requireUsableNames(names: ResourceNames): void {
  const reason = reservedReason(names)
  if (reason === undefined) return
  throw new CliError('INVALID_NAME', `"${names.typed}" cannot be a resource: ${reason}`, {
    hint: `choose a more specific name, for example ${names.plural.replace(/^v1$/, 'version')}-items`,
  })
}

function reservedReason(names: ResourceNames): string | undefined {
  const spellings = [names.typed, names.one, names.many, names.singular, names.plural]
  for (const spelling of spellings) {
    const lower = spelling.toLowerCase()
    if (keywords.has(lower)) return `"${lower}" is a reserved word of JavaScript`
    if (prototypes.has(lower)) return `"${lower}" is a property of every object`
    if (paths.has(lower)) return `the path "/${lower}" belongs to the framework`
    if (windowsDevices.test(lower)) return `"${lower}" cannot be a file name on Windows`
    if (templateIdentifiers.has(spelling)) return `the generated code uses "${spelling}" itself`
  }
  if (frameworkModels.has(names.model)) {
    return `the framework has the model "${names.model}" itself; refer to it with ref:${names.model}`
  }
  if (builtIns.has(names.model)) return `"${names.model}" is a built-in type`
  return undefined
}

function words(text: string): ReadonlySet<string> {
  return new Set(text.trim().split(/\s+/))
}
