import { existsSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { CliError } from '../errors.ts'
import { readText } from '../files/plan.ts'
import { version } from '../version.ts'
import { configFile, parseConfig, type ProjectConfig } from './config.ts'
import { type Manifest, manifestFile, parseManifest } from './manifest.ts'

/** A project made by create-api. */
export interface Project {
  /** Absolute path of its folder. */
  readonly root: string
  readonly config: ProjectConfig
  readonly manifest: Manifest
  /** Names and ranges of its dependencies, development included. */
  readonly dependencies: Readonly<Record<string, string>>
}

/**
 * Finds the folder of the project around a folder.
 *
 * @param from folder to begin at
 * @returns absolute path of the nearest folder with an `api.config.json`
 * @throws CliError `NOT_A_PROJECT` when there is none
 */
export function findProjectRoot(from: string): string {
  let folder = resolve(from)
  for (;;) {
    if (existsSync(join(folder, configFile))) return folder
    const parent = dirname(folder)
    if (parent === folder) break
    folder = parent
  }
  throw new CliError('NOT_A_PROJECT', `no ${configFile} here or in any folder above`, {
    hint: 'Run this inside a project made by create-api.',
  })
}

/**
 * Reads what a project says about itself.
 *
 * @param root folder with an `api.config.json`
 * @returns the project
 * @throws CliError `INVALID_CONFIG` when its settings or its manifest are not valid
 */
export function readProject(root: string): Project {
  return {
    root,
    config: parseConfig(readText(join(root, configFile)) ?? '{}'),
    manifest: parseManifest(readText(join(root, manifestFile)), version),
    dependencies: readDependencies(root),
  }
}

function readDependencies(root: string): Readonly<Record<string, string>> {
  const text = readText(join(root, 'package.json'))
  if (text === undefined) return {}
  try {
    const { dependencies, devDependencies } = JSON.parse(text)
    return { ...dependencies, ...devDependencies }
  } catch {
    // npm will say so in better words.
    return {}
  }
}
