/** Where text goes. */
export interface Sink {
  readonly isTTY?: boolean | undefined
  /** Width in characters, of a terminal. */
  readonly columns?: number | undefined
  write(text: string): unknown
}

/** Everything a command knows about the world it was started in. */
export interface Terminal {
  readonly cwd: string
  readonly env: Readonly<Record<string, string | undefined>>
  readonly stdin: AsyncIterable<Uint8Array | string> & { readonly isTTY?: boolean | undefined }
  readonly stdout: Sink
  readonly stderr: Sink
}

/** Flags every command takes. */
export interface GlobalFlags {
  /** One JSON document on stdout. */
  readonly json?: boolean | undefined
  /** Only the answer, no notes. */
  readonly quiet?: boolean | undefined
  /** More detail. */
  readonly verbose?: boolean | undefined
  /** False for `--no-color`. */
  readonly color?: boolean | undefined
  /** False for `--no-input`. */
  readonly input?: boolean | undefined
  /** True for `--yes`. */
  readonly yes?: boolean | undefined
  /** Folder to work in. */
  readonly cwd?: string | undefined
}

/**
 * Gives the terminal of this process.
 *
 * @returns its streams, folder and environment
 */
export function processTerminal(): Terminal {
  const { env, stderr, stdin, stdout } = process
  return { cwd: process.cwd(), env, stdin, stdout, stderr }
}

/**
 * Tells whether a question may be asked.
 *
 * @param terminal the terminal
 * @param flags flags of the command
 * @returns true only with a person at both ends
 */
export function isInteractive(terminal: Terminal, flags: GlobalFlags): boolean {
  const { env, stdin, stdout } = terminal
  if (flags.yes || flags.json || flags.input === false) return false
  if (env['CI'] !== undefined && env['CI'] !== '' && env['CI'] !== 'false') return false
  return stdin.isTTY === true && stdout.isTTY === true
}

/**
 * Tells whether to colour.
 *
 * @param terminal the terminal
 * @param flags flags of the command
 * @returns true when nothing speaks against it
 */
export function isColourful(terminal: Terminal, flags: GlobalFlags): boolean {
  const { env, stdout } = terminal
  if (flags.color === false || (env['NO_COLOR'] ?? '') !== '') return false
  const forced = env['FORCE_COLOR']
  if (forced !== undefined) return forced !== '0' && forced !== 'false'
  return stdout.isTTY === true && env['TERM'] !== 'dumb'
}
