import { existsSync } from 'node:fs'

// Finds a file or folder of `assets` from src/lib/runtime and from the bundle in dist.
export function assetUrl(name: string): URL {
  const found = ['../../../assets/', '../assets/']
    .map((folder) => new URL(folder + name, import.meta.url))
    .find((url) => existsSync(url))
  if (!found) throw new Error(`The package is incomplete: assets/${name} is missing.`)
  return found
}
