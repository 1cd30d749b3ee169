import { cpSync, existsSync, renameSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { createProjectProgram } from '../../src/lib/programs/create-program.ts'
import { createTemporaryFolder, type Result, runProgram } from '../run-program.ts'

const folder = fileURLToPath(new URL('applications', import.meta.url))

/** An application in the folder `applications`. */
export type ApplicationName = 'callbacks-commonjs' | 'joi-modules' | 'layered-typescript'

/** Copies an application into a folder that is removed when the test ends. */
export function copyApplication(name: ApplicationName): string {
  const root = join(createTemporaryFolder(), name)
  copyApplicationTo(root, name)
  return root
}

/** Copies an application. Its file `env` becomes `.env`, which git ignores here. */
export function copyApplicationTo(root: string, name: ApplicationName): void {
  cpSync(join(folder, name), root, { recursive: true })
  if (existsSync(join(root, 'env'))) renameSync(join(root, 'env'), join(root, '.env'))
}

/** Runs `create-api adopt`. */
export function adopt(root: string, ...args: readonly string[]): Promise<Result> {
  return runProgram(createProjectProgram, ['adopt', ...args], { cwd: root })
}
