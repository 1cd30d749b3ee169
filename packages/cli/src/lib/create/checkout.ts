import { existsSync, readdirSync, readFileSync, realpathSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { CliError } from '../errors.ts'
import { packageRoot } from '../version.ts'
import { createTarball, type TarballFile } from './tarball.ts'

/** A package of this repository, packed. */
export interface PackedPackage {
  readonly name: string
  /** File name of the tarball. */
  readonly file: string
  readonly content: Buffer
}

const workspaceName = 'create-api-workspace'
const folders = ['packages/core', 'packages/cli', 'packages/embedded-mongo', 'templates']

/**
 * Finds the repository this program runs from.
 *
 * @returns its root, or `undefined` when the program was installed from a registry
 */
export function findCheckout(): string | undefined {
  for (let folder = realpathSync(packageRoot); ; folder = dirname(folder)) {
    const manifest = join(folder, 'package.json')
    if (existsSync(manifest) && readName(manifest) === workspaceName) return folder
    if (dirname(folder) === folder) return undefined
  }
}

/**
 * Packs the packages of a checkout, so that a new project can carry them along.
 *
 * @param checkout root of the repository
 * @returns one tarball a package
 * @throws CliError `UNEXPECTED` when a package has not been built
 */
export function packCheckout(checkout: string): readonly PackedPackage[] {
  return folders.map((folder) => packPackage(join(checkout, folder)))
}

interface PackageManifest {
  readonly name: string
  readonly version: string
  readonly files: readonly string[]
  readonly bin?: Readonly<Record<string, string>>
  readonly exports?: Readonly<Record<string, unknown>>
}

function packPackage(root: string): PackedPackage {
  const text = readFileSync(join(root, 'package.json'), 'utf8')
  const manifest: PackageManifest = JSON.parse(text)
  requireBuilt(root, manifest)
  const entries = manifest.files.filter((entry) => !entry.startsWith('!') && entry !== 'src')
  const files = entries.flatMap((entry) => listFiles(root, entry))
  const packed: TarballFile[] = ['package.json', ...files].map((path) => ({
    path,
    content: readFileSync(join(root, path)),
  }))
  const file = `${manifest.name.replace('@', '').replace('/', '-')}-${manifest.version}.tgz`
  return { name: manifest.name, file, content: createTarball(packed) }
}

// Every door of the package must lead somewhere: a folder alone is no build.
function requireBuilt(root: string, manifest: PackageManifest): void {
  const { bin = {}, exports = {}, files, name } = manifest
  const doors = [...Object.values(bin), ...Object.values(exports).flatMap(listTargets), ...files]
  const missing = doors.find((path) => !path.startsWith('!') && !existsSync(join(root, path)))
  if (missing === undefined) return
  throw new CliError('UNEXPECTED', `${name} has not been built: ${missing} is missing`, {
    hint: 'run npm run build in the checkout',
  })
}

function listTargets(target: unknown): readonly string[] {
  if (typeof target === 'string') return [target]
  if (typeof target !== 'object' || target === null) return []
  return Object.values(target).flatMap(listTargets)
}

function listFiles(root: string, entry: string): readonly string[] {
  const entries = readdirSync(join(root, dirname(entry)), { withFileTypes: true })
  const self = entries.find(({ name }) => name === entry.split('/').at(-1))
  if (self === undefined) return []
  // Source maps point at sources that are not packed here.
  if (!self.isDirectory()) return entry.endsWith('.map') ? [] : [entry]
  const children = readdirSync(join(root, entry))
  return children.flatMap((name) => listFiles(root, `${entry}/${name}`))
}

function readName(manifest: string): unknown {
  const { name }: { name?: unknown } = JSON.parse(readFileSync(manifest, 'utf8'))
  return name
}
