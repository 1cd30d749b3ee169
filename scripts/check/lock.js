// @ts-check
// package-lock.json must list the optional binaries of every platform, and no registry URL. npm omits
// binaries that it could not resolve when it wrote the lock file, and `npm ci` then rejects the file.
// Usage: node scripts/check/lock.js [--fix] [folder ...]   (after `npm install --package-lock-only --ignore-scripts`)
import { readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../..', import.meta.url))
const fix = process.argv.includes('--fix')
const named = process.argv.slice(2).filter((argument) => !argument.startsWith('--'))
const folders =
  named.length > 0 ? named : ['.', 'benchmarks', 'checks', 'checks/test/clients', 'docs']

/**
 * @typedef {{ version?: string, resolved?: string, dev?: boolean, optional?: boolean, peer?: boolean,
 *   devOptional?: boolean, link?: boolean, os?: string[], cpu?: string[], libc?: string[],
 *   optionalDependencies?: Record<string, string>, engines?: Record<string, string> }} Entry
 */
/** @typedef {{ packages: Record<string, Entry> }} Lock */

const found = folders.flatMap((folder) => check(path.join(root, folder, 'package-lock.json')))
for (const problem of found) console.error(problem)
process.exitCode = found.length > 0 ? 1 : 0

/**
 * @param {string} file
 * @returns {string[]}
 */
function check(file) {
  /** @type {Lock} */
  const lock = JSON.parse(readFileSync(file, 'utf8'))
  const problems = []
  for (const [place, entry] of Object.entries(lock.packages)) {
    if (entry.resolved && !entry.link)
      problems.push(`${file}: ${place} contains the URL ${entry.resolved}`)
    for (const [name, version] of toMissing(lock, place, entry)) {
      if (fix) lock.packages[`node_modules/${name}`] = toEntry(name, version, entry)
      else problems.push(`${file}: ${name} ${version} is missing`)
    }
  }
  if (fix) {
    const places = Object.entries(lock.packages).toSorted(([a], [b]) => (a < b ? -1 : 1))
    const text = JSON.stringify({ ...lock, packages: Object.fromEntries(places) }, null, 2)
    writeFileSync(file, `${text}\n`)
  }
  return problems
}

/**
 * @param {Lock} lock
 * @param {string} place
 * @param {Entry} entry
 */
function toMissing({ packages }, place, { optionalDependencies = {} }) {
  return Object.entries(optionalDependencies).filter(([name, version]) => {
    const isPresent = packages[`node_modules/${name}`] || packages[`${place}/node_modules/${name}`]
    // Only binaries are pinned to an exact version; other optional packages may be absent.
    return /^\d/.test(version) && !isPresent
  })
}

/**
 * The entry npm would write, derived from napi-rs' naming scheme: binding-<os>-<cpu>[-<libc>].
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
