import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { readText } from '../files/plan.ts'

export interface PackageJson {
  readonly name?: string
  readonly version?: string
  readonly type?: string
  readonly packageManager?: unknown
  readonly workspaces?: unknown
  readonly scripts?: Readonly<Record<string, string>>
  readonly dependencies?: Readonly<Record<string, string>>
  readonly devDependencies?: Readonly<Record<string, string>>
}

export function readPackageJson(folder: string): PackageJson {
  return parsePackageJson(readText(join(folder, 'package.json')))
}

// Empty for a file that is missing or damaged: npm reports this with a better message.
export function parsePackageJson(text = '{}'): PackageJson {
  try {
    return Object(JSON.parse(text))
  } catch {
    return {}
  }
}

export function installedVersion(root: string, name: string): string {
  return readPackageJson(join(root, 'node_modules', name)).version ?? 'not installed'
}

// Whether Node.js takes the `.js` files of a folder for ES modules: the closest package.json says so.
export function isModuleFolder(folder: string): boolean {
  const closest = findPackage(folder)
  return closest !== undefined && readPackageJson(closest).type === 'module'
}

// The closest folder with a package.json, beginning with the folder itself.
export function findPackage(folder: string): string | undefined {
  for (let at = folder; ; at = dirname(at)) {
    if (existsSync(join(at, 'package.json'))) return at
    if (dirname(at) === at) return undefined
  }
}
