import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const packageFolder = fileURLToPath(new URL('..', import.meta.url))

/** The package as it is published, for child processes: Node 20 runs no TypeScript. */
export interface BuiltPackage {
  folder: string
  remove(): void
}

/** Builds the package into a separate folder, below the workspace so that its dependencies resolve. */
export function buildPackage(): BuiltPackage {
  const cache = join(packageFolder, 'node_modules', '.cache')
  mkdirSync(cache, { recursive: true })
  const folder = mkdtempSync(join(cache, 'built-'))
  const tsup = join(dirname(createRequire(import.meta.url).resolve('tsup')), 'cli-default.js')
  const config = join(packageFolder, '../../tsup.config.ts')
  execFileSync(process.execPath, [tsup, '--config', config, '--no-dts', '--out-dir', folder], {
    cwd: packageFolder,
    stdio: 'pipe',
  })
  return { folder, remove: () => rmSync(folder, { recursive: true, force: true }) }
}
