import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

// The npm name of this package and the name of the command that creates projects.
export const packageName = 'create-api'

// The folder of this package, whether it runs from source, from dist or installed.
export const packageRoot = findPackageRoot(dirname(fileURLToPath(import.meta.url)))

// The pages of the documentation: in the package they are a copy, which only a build brings up to date.
export const docsRoot = join(
  packageRoot,
  existsSync(join(packageRoot, 'src')) ? '../../docs' : 'docs',
)

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
