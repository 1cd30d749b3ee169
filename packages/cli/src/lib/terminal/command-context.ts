import { type Reporter } from './reporter.ts'
import { type GlobalFlags, type Terminal } from './terminal.ts'

/** What a command receives besides its own options. */
export interface CommandContext {
  readonly terminal: Terminal
  readonly flags: GlobalFlags
  /** Folder to run in, after `--cwd`. */
  readonly cwd: string
  /** Whether prompts are possible. */
  readonly interactive: boolean
  /** Prints a line about what is being done. */
  readonly progress: Reporter['progress']
  /** Reports an outcome immediately, for a command that continues afterwards. */
  readonly report: Reporter['report']
}
