import { existsSync } from 'node:fs'
import { join, posix } from 'node:path'
import * as z from 'zod/mini'
import { CliError } from '../errors/cli-error.ts'
import { readText } from '../files/plan.ts'
import { type PackageJson, parsePackageJson, readPackageJson } from '../project/package-json.ts'
import { type AppPlace } from './find-app.ts'

// What decides how the API becomes part of an application.
export interface Host {
  readonly root: string
  readonly manifest: PackageJson
  readonly language: 'typescript' | 'javascript'
  /** Whether the file of the app runs as an ES module. */
  readonly isModule: boolean
  /** Packages whose version the API cannot use, with what it needs: the API then is a package with its own. */
  readonly outdated: readonly OutdatedPackage[]
}

export interface OutdatedPackage {
  readonly name: string
  /** Version or range of the application. */
  readonly has: string
  /** Range of the API. */
  readonly needs: string
}

const needed = [
  ['express', 5],
  ['mongoose', 9],
  ['zod', 4],
] as const

export function readHost(root: string, app: AppPlace): Host {
  const manifest = readManifest(root)
  return {
    root,
    manifest,
    language: /\.[cm]?ts$/.test(app.path) ? 'typescript' : 'javascript',
    isModule: isModule(app.path, nearestType(root, app.path)),
    outdated: findOutdated(root, manifest),
  }
}

export function readManifest(root: string): PackageJson {
  const text = readText(join(root, 'package.json'))
  if (text === undefined) {
    throw new CliError('NOT_ADOPTABLE', 'there is no package.json in this folder', {
      hint: 'run this in the folder of an Express application',
    })
  }
  const manifest = parsePackageJson(text)
  if (Object.keys(manifest).length === 0) {
    throw new CliError('NOT_ADOPTABLE', 'package.json is not valid JSON', {
      hint: 'correct it by hand',
      files: ['package.json'],
    })
  }
  requireShape(manifest)
  return manifest
}

const shape = z.object({
  name: z.optional(z.string()),
  type: z.optional(z.string()),
  scripts: z.optional(z.record(z.string(), z.string())),
  dependencies: z.optional(z.record(z.string(), z.string())),
  devDependencies: z.optional(z.record(z.string(), z.string())),
  jest: z.optional(z.looseObject({})),
})

function requireShape(manifest: PackageJson): void {
  const issue = shape.safeParse(manifest).error?.issues[0]
  if (issue === undefined) return
  const key = issue.path.join('.')
  throw new CliError('NOT_ADOPTABLE', `"${key}" of package.json has a wrong type`, {
    hint: 'correct it by hand',
    files: ['package.json'],
  })
}

function nearestType(root: string, path: string): string | undefined {
  for (let folder = posix.dirname(path); ; folder = posix.dirname(folder)) {
    const manifest = join(root, folder, 'package.json')
    if (existsSync(manifest)) return readPackageJson(join(root, folder)).type
    if (folder === '.') return undefined
  }
}

function isModule(path: string, type: string | undefined): boolean {
  if (/\.m[jt]s$/.test(path)) return true
  return type === 'module' && !/\.c[jt]s$/.test(path)
}

function findOutdated(root: string, manifest: PackageJson): readonly OutdatedPackage[] {
  const ranges = { ...manifest.devDependencies, ...manifest.dependencies }
  return needed.flatMap(([name, major]) => {
    const has = readPackageJson(join(root, 'node_modules', name)).version ?? ranges[name]
    const found = has === undefined ? undefined : /\d+/.exec(has)?.[0]
    if (has === undefined || found === undefined || Number(found) >= major) return []
    return [{ name, has, needs: `^${major}` }]
  })
}
