import { readFileSync } from 'node:fs'
import path from 'node:path'
import { z } from 'zod'

const entry = z.object({
  version: z.string().optional(),
  link: z.boolean().optional(),
  resolved: z.string().optional(),
  hasInstallScript: z.boolean().optional(),
  dependencies: z.record(z.string(), z.string()).optional(),
  optionalDependencies: z.record(z.string(), z.string()).optional(),
  peerDependencies: z.record(z.string(), z.string()).optional(),
  peerDependenciesMeta: z.record(z.string(), z.object({ optional: z.boolean() })).optional(),
})

/** One package of the lock file. */
export type LockEntry = z.infer<typeof entry>

/** Top of the repository. */
export const root = path.resolve(import.meta.dirname, '../..')

/** Packages by their place: `node_modules/express`. */
export const lock: Readonly<Record<string, LockEntry>> = z
  .object({ packages: z.record(z.string(), entry) })
  .parse(JSON.parse(readFileSync(path.join(root, 'package-lock.json'), 'utf8'))).packages

/**
 * Finds everything that is installed for production with some packages.
 * @param names - of packages that are needed
 * @returns the places of the packages
 */
export function productionTree(names: readonly string[]): Set<string> {
  const places = new Set<string>()
  for (const name of names) add(resolve('', name))
  return places

  function add(place: string | undefined): void {
    if (place === undefined || places.has(place)) return
    places.add(place)
    for (const name of needsOf(lock[place] ?? {})) add(resolve(place, name))
  }
}

function needsOf({
  peerDependencies = {},
  peerDependenciesMeta = {},
  ...entries
}: LockEntry): string[] {
  const peers = Object.keys(peerDependencies).filter(
    (name) => !peerDependenciesMeta[name]?.optional,
  )
  return [
    ...Object.keys(entries.dependencies ?? {}),
    ...Object.keys(entries.optionalDependencies ?? {}),
    ...peers,
  ]
}

// Resolves like Node: the nearest parent folder that contains the package. A workspace is a link to its folder.
function resolve(from: string, name: string): string | undefined {
  for (let folder = from; ; folder = path.dirname(folder)) {
    const place = path.join(folder === '.' ? '' : folder, 'node_modules', name)
    const found = lock[place]
    if (found) return found.link ? found.resolved : place
    if (folder === '' || folder === '.') return undefined
  }
}
