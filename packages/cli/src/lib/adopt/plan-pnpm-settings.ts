import { join } from 'node:path'
import { type Document, isMap, isSeq, parseDocument } from 'yaml'
import { type PackageManager } from '../create/package-manager.ts'
import { CliError } from '../errors/cli-error.ts'
import { type WantedFile } from '../files/change.ts'
import { readText } from '../files/plan.ts'

interface PnpmSettings {
  readonly manager: PackageManager
  /** Folder of a package that becomes part of the workspace. */
  readonly member?: string
  /** What every package uses instead of the registry. */
  readonly overrides: Readonly<Record<string, string>>
}

const path = 'pnpm-workspace.yaml'

// What other package managers read in package.json.
export function planPnpmSettings(
  root: string,
  { manager, member, overrides }: PnpmSettings,
): readonly WantedFile[] {
  const files = Object.entries(overrides)
  if (manager.name !== 'pnpm' || (member === undefined && files.length === 0)) return []
  const before = readText(join(root, path))
  const document = parseSettings(before ?? '')
  if (member !== undefined) {
    if (isSeq(document.get('packages'))) document.addIn(['packages'], member)
    else document.set('packages', [member])
  }
  for (const [name, file] of files) document.setIn(['overrides', name], file)
  const text = document.toString({ lineWidth: 0, singleQuote: true })
  if (before === undefined) return [{ kind: 'write', path, text }]
  const added = [...(member === undefined ? [] : [member]), ...files.map(([name]) => name)]
  return [{ kind: 'edit', path, before, text, detail: `+${added.join(', +')}` }]
}

function parseSettings(text: string): Document {
  const document = parseDocument(text)
  const { contents, errors } = document
  if (errors.length === 0 && (contents === null || isMap(contents))) return document
  throw new CliError('NOT_ADOPTABLE', `${path} is not a valid file with settings of pnpm`, {
    hint: 'correct it by hand',
    files: [path],
  })
}
