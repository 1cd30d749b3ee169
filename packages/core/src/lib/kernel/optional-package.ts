import { createRequire } from 'node:module'

const requirePackage = createRequire(import.meta.url)

// Loads a package that a service may have installed; undefined without it.
export function loadIfInstalled(name: string): unknown {
  try {
    return requirePackage(name)
  } catch (error) {
    if (isMissing(error, name)) return undefined
    throw error
  }
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
