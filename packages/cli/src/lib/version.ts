import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** npm name of this package, also the name of the command that makes projects. */
export const packageName = 'create-api'

/** Folder of this package: the same from source, from `dist` and from an installation. */
export const packageRoot = findPackageRoot(dirname(fileURLToPath(import.meta.url)))

/** Version of this package. */
export const version: string = readVersion()

function findPackageRoot(folder: string): string {
  const parent = dirname(folder)
  const name = folder.split(/[\\/]/).at(-1)
  return name === 'dist' || name === 'src' || parent === folder ? parent : findPackageRoot(parent)
}

function readVersion(): string {
  const text = readFileSync(join(packageRoot, 'package.json'), 'utf8')
  const manifest: { readonly version: string } = JSON.parse(text)
  return manifest.version
}
