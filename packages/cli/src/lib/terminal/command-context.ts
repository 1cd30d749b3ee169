import { type Reporter } from './reporter.ts'
import { type GlobalFlags, type Terminal } from './terminal.ts'

/** What a command is given besides its own options. */
export interface CommandContext {
  readonly terminal: Terminal
  readonly flags: GlobalFlags
  /** Folder to work in, after `--cwd`. */
  readonly cwd: string
  /** True when a question may be asked. */
  readonly interactive: boolean
  readonly progress: Reporter['progress']
  /** Says an outcome at once, for a command that goes on after it. */
  readonly report: Reporter['report']
}
