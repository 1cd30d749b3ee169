import { existsSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { CliError } from '../errors/cli-error.ts'
import { readText } from '../files/plan.ts'
import { version } from '../package/own-package.ts'
import { configFile, parseConfig, type ProjectConfig } from './config.ts'
import { isModuleFolder, readPackageJson } from './package-json.ts'
import { type Manifest, manifestFile, parseManifest } from './manifest.ts'

export interface Project {
  /** Absolute path. */
  readonly root: string
  readonly config: ProjectConfig
  readonly manifest: Manifest
  /** Names and ranges, development dependencies included. */
  readonly dependencies: Readonly<Record<string, string>>
}

export function findProjectRoot(from: string): string {
  let folder = resolve(from)
  for (;;) {
    if (existsSync(join(folder, configFile))) return folder
    const parent = dirname(folder)
    if (parent === folder) break
    folder = parent
  }
  throw new CliError(
    'NOT_A_PROJECT',
    `there is no ${configFile} in this folder or a parent folder`,
    {
      hint: 'run this inside a project created by create-api',
    },
  )
}

// Opens the project that a folder is in.
export function openProject(from: string): Project {
  return readProject(findProjectRoot(from))
}

export function readProject(root: string): Project {
  const { dependencies, devDependencies } = readPackageJson(root)
  return {
    root,
    config: parseConfig(readText(join(root, configFile)) ?? '{}', (folder) =>
      isModuleFolder(join(root, folder)),
    ),
    manifest: parseManifest(readText(join(root, manifestFile)), version),
    dependencies: { ...dependencies, ...devDependencies },
  }
}
