import { existsSync } from 'node:fs'
import { dirname, isAbsolute, join, relative } from 'node:path'
import { version } from '../package/own-package.ts'
import { quoteForShell } from '../terminal/quote-for-shell.ts'
import { findCheckout, toTarballName, toTarballPath } from './checkout.ts'

interface InstallPlace {
  readonly cwd: string
  /** The folder whose package installs it. */
  readonly folder: string
}

// In a project that was made from a clone, no package is published: all of them are in its folder `vendor`.
export function toInstallCommand(names: readonly string[], { cwd, folder }: InstallPlace): string {
  const folders = [...listParents(folder), ...listParents(cwd)]
  const wanted = names.map((name) => {
    const file = findTarball(toTarballName({ name, version }), folders)
    return file === undefined ? name : quoteForShell(toArgument(relative(cwd, file)))
  })
  return ['npm install', ...wanted].join(' ')
}

export function listParents(folder: string): readonly string[] {
  const parent = dirname(folder)
  return parent === folder ? [folder] : [folder, ...listParents(parent)]
}

function findTarball(tarball: string, folders: readonly string[]): string | undefined {
  const vendored = folders.map((folder) => join(folder, 'vendor', tarball))
  const checkout = findCheckout()
  const packed = checkout === undefined ? [] : [toTarballPath(checkout, tarball)]
  return [...vendored, ...packed].find((path) => existsSync(path))
}

// npm takes a path without a folder for a name.
function toArgument(path: string): string {
  return path.startsWith('.') || isAbsolute(path) ? path : `./${path}`
}
