// @ts-check
// package-lock.json must hold every platform's optional binary and no address of a registry.
// npm leaves out binaries that it could not look up when the lock was written, and `npm ci` then
// refuses the lock. Usage: node scripts/check-lock.js [--fix]
import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const file = fileURLToPath(new URL('../package-lock.json', import.meta.url))
const fix = process.argv.includes('--fix')

/**
 * @typedef {{ version?: string, resolved?: string, dev?: boolean, optional?: boolean, peer?: boolean,
 *   devOptional?: boolean, link?: boolean, os?: string[], cpu?: string[], libc?: string[],
 *   optionalDependencies?: Record<string, string>, engines?: Record<string, string> }} Entry
 */
/** @type {{ packages: Record<string, Entry> }} */
const lock = JSON.parse(readFileSync(file, 'utf8'))
/** @type {string[]} */
const problems = []

for (const [place, entry] of Object.entries(lock.packages)) {
  if (entry.resolved && !entry.link) problems.push(`${place} names ${entry.resolved}`)
  for (const [name, version] of Object.entries(entry.optionalDependencies ?? {})) {
    const isExact = /^\d/.test(version)
    if (!isExact || isPresent(place, name)) continue
    if (fix) lock.packages[`node_modules/${name}`] = toEntry(name, version, entry)
    else problems.push(`${name} ${version} is missing`)
  }
}

if (fix) {
  const names = Object.keys(lock.packages).toSorted()
  lock.packages = Object.fromEntries(names.map((name) => [name, lock.packages[name] ?? {}]))
  writeFileSync(file, `${JSON.stringify(lock, null, 2)}\n`)
}
for (const problem of problems) console.error(`package-lock.json: ${problem}`)
process.exitCode = problems.length > 0 ? 1 : 0

/**
 * @param {string} place
 * @param {string} name
 */
function isPresent(place, name) {
  return [`node_modules/${name}`, `${place}/node_modules/${name}`].some((key) => lock.packages[key])
}

/**
 * What npm would have written, by the naming scheme of napi-rs: binding-<os>-<cpu>[-<libc>].
 * @param {string} name
 * @param {string} version
 * @param {Entry} parent
 * @returns {Entry}
 */
function toEntry(name, version, parent) {
  const system = /(android|darwin|freebsd|linux|openbsd|openharmony|win32)-([a-z0-9]+)/.exec(name)
  const libc = /-(musl|gnu)(?:eabi(?:hf)?)?$/.exec(name)?.[1]
  return {
    version,
    cpu: [system?.[2] ?? 'wasm32'],
    ...(parent.dev ? { dev: true } : {}),
    ...(libc && system?.[1] === 'linux' ? { libc: [libc === 'gnu' ? 'glibc' : 'musl'] } : {}),
    optional: true,
    ...(system ? { os: [system[1] ?? ''] } : {}),
  }
}
