import { createRequire } from 'node:module'

const requirePackage = createRequire(import.meta.url)

/**
 * Loads a package that a service may have installed for a purpose of its own.
 * @param name - the package
 * @returns what the package exports, or undefined without it
 */
export function loadIfInstalled(name: string): unknown {
  try {
    return requirePackage(name)
  } catch (error) {
    if (isMissing(error, name)) return undefined
    throw error
  }
}

/**
 * Loads a package that only services with a certain option need, and that they install themselves.
 * @param name - the package
 * @param need - what needs it: `REDIS_URL needs`
 * @param install - all packages of the same need
 * @returns what the package exports
 * @throws Error that names the command to install it
 */
export function loadOptional(name: string, need: string, install: readonly string[]): unknown {
  const loaded = loadIfInstalled(name)
  if (loaded !== undefined) return loaded
  const them = install.length === 1 ? 'it' : 'them'
  throw new Error(
    `${need} ${install.join(' and ')}. Install ${them}: npm install ${install.join(' ')}`,
  )
}

// Not one that it needs itself: that is a broken installation.
function isMissing(error: unknown, name: string): boolean {
  if (!(error instanceof Error) || !('code' in error)) return false
  return error.code === 'MODULE_NOT_FOUND' && error.message.includes(`'${name}'`)
}
