import { existsSync, readFileSync, realpathSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { CliError } from '../errors/cli-error.ts'
import { type WantedFile } from '../files/change.ts'
import { packageRoot } from '../package/own-package.ts'

export interface PackedPackage {
  readonly name: string
  readonly file: string
  readonly content: Buffer
}

const workspaceName = 'create-api-workspace'
const folders = [
  'packages/core',
  'packages/cli',
  'packages/client',
  'packages/embedded-mongo',
  'packages/jobs',
  'packages/mcp',
  'packages/sign-in',
  'packages/webhooks',
  'templates',
]

// The repository this program runs from; nothing when it was installed from a registry.
export function findCheckout(): string | undefined {
  for (let folder = realpathSync(packageRoot); ; folder = dirname(folder)) {
    const manifest = join(folder, 'package.json')
    if (existsSync(manifest) && readManifest(manifest).name === workspaceName) return folder
    if (dirname(folder) === folder) return undefined
  }
}

// Reads the tarballs that `npm run build` has packed, so that a new project can use packages that
// are not published.
export function readTarballs(checkout: string): readonly PackedPackage[] {
  return folders.map((folder) => {
    const { name, version } = readManifest(join(checkout, folder, 'package.json'))
    const file = toTarballName({ name, version })
    const path = toTarballPath(checkout, file)
    if (existsSync(path)) return { name, file, content: readFileSync(path) }
    throw new CliError('UNEXPECTED', `${name} has not been built: ${file} is missing`, {
      hint: 'run npm run build in the checkout',
    })
  })
}

// The files with which a project has the tarballs.
export function toVendorFiles(packed: readonly PackedPackage[]): readonly WantedFile[] {
  return packed.map(({ content, file }) => ({
    kind: 'write',
    path: toVendorPath(file),
    text: content.toString('latin1'),
    encoding: 'latin1',
  }))
}

export function toVendorPath(file: string): string {
  return `vendor/${file}`
}

export function isTarball(path: string): boolean {
  return path.endsWith('.tgz')
}

// The name that `npm pack` gives it.
export function toTarballName({ name, version }: PackageManifest): string {
  return `${name.replace('@', '').replace('/', '-')}-${version}.tgz`
}

export function toTarballPath(checkout: string, file: string): string {
  return join(checkout, 'node_modules/.cache/tarballs', file)
}

interface PackageManifest {
  readonly name: string
  readonly version: string
}

function readManifest(path: string): PackageManifest {
  return JSON.parse(readFileSync(path, 'utf8'))
}
