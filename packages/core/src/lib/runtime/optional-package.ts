import { createRequire } from 'node:module'
import { join } from 'node:path'

// Loads a package that a service may have installed; undefined without it.
export function loadIfInstalled(name: string): unknown {
  for (const place of [import.meta.url, projectFile()]) {
    try {
      return createRequire(place)(name)
    } catch (error) {
      if (!isMissing(error, name)) throw error
    }
  }
  return undefined
}

// Path of a package that the project has installed; undefined without it. Package managers may hide it from this package, which
// does not declare development dependencies of projects as its peers: npm would install them in production.
export function findInProject(name: string): string | undefined {
  try {
    return createRequire(projectFile()).resolve(name)
  } catch {
    return undefined
  }
}

function projectFile(): string {
  return join(process.cwd(), 'package.json')
}

// Loads a package that services install themselves if they use an option: `need` is the start of the
// message, as in `REDIS_URL needs`. Throws an Error with the command that installs all of `install`.
export function loadOptional(name: string, need: string, install: readonly string[]): unknown {
  const loaded = loadIfInstalled(name)
  if (loaded !== undefined) return loaded
  const them = install.length === 1 ? 'it' : 'them'
  throw new Error(
    `${need} ${install.join(' and ')}. Install ${them}: npm install ${install.join(' ')}`,
  )
}

// A missing dependency of the package is a broken installation, not a missing package.
function isMissing(error: unknown, name: string): boolean {
  if (!(error instanceof Error) || !('code' in error)) return false
  return error.code === 'MODULE_NOT_FOUND' && error.message.includes(`'${name}'`)
}
