import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import { isMigration, type Migration } from './define-migration.ts'
import { MigrationError } from './migration-error.ts'

export interface MigrationFile {
  /** `20261121190301-add-price-to-posts`, without extension: the same in sources and compiled code. */
  readonly name: string
  /** Absolute path. */
  readonly file: string
  readonly checksum: string
}

const source = /^(?<name>(?<time>\d{14})-[\w.-]+)\.[cm]?[jt]s$/
// Declarations, and tests beside the migrations.
const ignored = /\.d\.[cm]?ts$|\.(?:test|spec)\.[cm]?[jt]s$/

// Reads the migrations in the order of their names, which begin with the time. A folder that does not exist has none.
export function readMigrations(directory: string): readonly MigrationFile[] {
  const files = listFiles(directory)
  const found = files.map((file): Found => ({ file, ...source.exec(file)?.groups }))
  const problems = [...findMisnamed(found), ...findDuplicates(found)]
  if (problems.length > 0) {
    const text = problems.map((problem) => `\n  ${problem}`).join('')
    throw new MigrationError(
      'migration_files',
      `The migrations in ${directory} cannot be used:${text}`,
    )
  }
  return found
    .flatMap(({ file, name }) =>
      name === undefined ? [] : [readMigrationFile(directory, file, name)],
    )
    .toSorted((a, b) => (a.name < b.name ? -1 : 1))
}

export async function loadMigration({ file, name }: MigrationFile): Promise<Migration> {
  const loaded = await importFile(file, name)
  if (isMigration(loaded)) return loaded
  throw new MigrationError(
    'migration_files',
    `The migration ${name} has no default export of defineMigration. Write: export default defineMigration({ up, down })`,
  )
}

interface Found {
  readonly file: string
  readonly name?: string
  readonly time?: string
}

function listFiles(directory: string): string[] {
  if (!existsSync(directory)) return []
  return readdirSync(directory)
    .filter((file) => /\.[cm]?[jt]s$/.test(file) && !ignored.test(file))
    .toSorted()
}

function findMisnamed(found: readonly Found[]): string[] {
  return found
    .filter(({ name }) => name === undefined)
    .map(
      ({ file }) =>
        `${file} has no name like 20261121190301-add-price.ts. Rename it, or move it out of this folder.`,
    )
}

function findDuplicates(found: readonly Found[]): string[] {
  return found.flatMap(({ file, name, time }, index) => {
    const other = found
      .slice(0, index)
      .find((earlier) => time !== undefined && earlier.time === time)
    if (!other) return []
    const fix =
      other.name === name
        ? 'Delete the one that is left over.'
        : 'Give one of them another time: it has to be clear which is first.'
    return [`${other.file} and ${file} have the same time. ${fix}`]
  })
}

function readMigrationFile(directory: string, file: string, name: string): MigrationFile {
  const absolute = path.join(directory, file)
  return { name, file: absolute, checksum: computeChecksum(readSource(absolute)) }
}

// What a checkout or an editor changes without a person does not count: line ends, trailing white
// space and a byte order mark.
export function computeChecksum(text: string): string {
  const normal = text
    .replace(/^\uFEFF/, '')
    .replaceAll(/[^\S\n]+$/gm, '')
    .trim()
  return createHash('sha256').update(normal).digest('hex').slice(0, 16)
}

// Compiled code has the checksum of its source, which its source map contains.
function readSource(file: string): string {
  const text = readFileSync(file, 'utf8')
  const map = /^\/\/# sourceMappingURL=(\S+\.map)\s*$/m.exec(text)?.[1]
  if (map === undefined) return text
  const mapFile = path.join(path.dirname(file), map)
  const { sources, sourcesContent } = readMap(mapFile)
  const [content] = sourcesContent ?? []
  if (typeof content === 'string') return content
  const original = path.resolve(path.dirname(mapFile), sources?.[0] ?? '')
  if (sources?.[0] !== undefined && existsSync(original)) return readFileSync(original, 'utf8')
  throw new MigrationError(
    'migration_files',
    `The source of ${file} is not known, so it cannot be compared with what was applied. Set "inlineSources": true beside "sourceMap" in tsconfig.build.json and build again.`,
  )
}

interface SourceMap {
  readonly sources?: readonly string[]
  readonly sourcesContent?: readonly (string | null)[]
}

function readMap(file: string): SourceMap {
  try {
    const map: SourceMap = JSON.parse(readFileSync(file, 'utf8'))
    return map
  } catch {
    return {}
  }
}

async function importFile(file: string, name: string): Promise<unknown> {
  try {
    const loaded: { default?: unknown } = await import(pathToFileURL(file).href)
    return loaded.default
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause)
    throw new MigrationError(
      'migration_files',
      `The migration ${name} cannot be loaded: ${reason}`,
      {
        cause,
      },
    )
  }
}
