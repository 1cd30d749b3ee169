import { CliError } from '../errors/cli-error.ts'
import { type CommandContext } from '../terminal/command-context.ts'

interface Deletion {
  /** Files that the user may have changed. */
  readonly edited: readonly string[]
  /** Says so. */
  readonly summary: string
  /** What precedes each file in a list. */
  readonly word: string
}

interface ConsentOptions {
  readonly dryRun?: boolean | undefined
  readonly force?: boolean | undefined
}

// A user can confirm in a terminal; elsewhere, and for a dry run, it needs --force.
export async function requireConsent(
  { edited, summary, word }: Deletion,
  { dryRun, force }: ConsentOptions,
  { interactive, progress }: CommandContext,
): Promise<void> {
  if (edited.length === 0 || force) return
  const details = edited.map((path) => `  ${word.padEnd(10)} ${path}`)
  if (!interactive || dryRun) {
    const hint = 'to delete them anyway: --force'
    throw new CliError('CONFLICT', `${summary}; nothing was deleted`, {
      details,
      hint,
      files: edited,
    })
  }
  for (const line of ['', ...details, '']) progress(line)
  const { askYesNo } = await import('../terminal/prompts.ts')
  if (await askYesNo(`${summary}. Delete them anyway?`, false)) return
  throw new CliError('CANCELLED', 'cancelled; nothing was deleted')
}
