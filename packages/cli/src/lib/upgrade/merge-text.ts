import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { CliError } from '../errors/cli-error.ts'
import { type Git } from './run-git.ts'

export interface Versions {
  /** What the generator wrote. */
  readonly base: string
  /** What the user made of it. */
  readonly ours: string
  /** What the generator writes now. */
  readonly theirs: string
}

export interface MergeOptions {
  readonly git: Git
  /** Names of ours, base and theirs in conflicts. */
  readonly labels: readonly [string, string, string]
  /** The side that conflicts are resolved for; they are marked without. */
  readonly favor?: 'ours' | 'theirs' | undefined
}

export interface Merged {
  readonly text: string
  readonly conflicts: number
}

// Merges line by line with `git merge-file`. Texts have \n as their line ending.
export async function mergeText(versions: Versions, options: MergeOptions): Promise<Merged> {
  const folder = mkdtempSync(join(tmpdir(), 'create-api-merge-'))
  try {
    const paths = (['ours', 'base', 'theirs'] as const).map((name) => {
      writeFileSync(join(folder, name), versions[name], { mode: 0o600 })
      return join(folder, name)
    })
    const flags = options.favor === undefined ? [] : [`--${options.favor}`]
    const labels = options.labels.flatMap((label) => ['-L', label])
    const args = ['merge-file', '--stdout', '--quiet', ...flags, ...labels, ...paths]
    const { code, stderr, stdout } = await options.git(args)
    // The exit code is the number of conflicts, at most 127.
    if (code <= 127) return { text: stdout.toString('utf8'), conflicts: code }
    throw new CliError('GIT_FAILED', `git merge-file failed: ${stderr}`, {
      hint: 'nothing was written',
    })
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
