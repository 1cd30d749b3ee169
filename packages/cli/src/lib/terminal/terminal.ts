/** An output stream. */
export interface Sink {
  readonly isTTY?: boolean | undefined
  /** Width of the terminal in characters. */
  readonly columns?: number | undefined
  write(text: string): unknown
}

/** The streams, folder and environment a command runs with. */
export interface Terminal {
  readonly cwd: string
  readonly env: Readonly<Record<string, string | undefined>>
  readonly stdin: AsyncIterable<Uint8Array | string> & { readonly isTTY?: boolean | undefined }
  readonly stdout: Sink
  readonly stderr: Sink
}

/** Options of every command. */
export interface GlobalFlags {
  /** Print one JSON document to stdout. */
  readonly json?: boolean | undefined
  /** Print no notes. */
  readonly quiet?: boolean | undefined
  /** Print more details. */
  readonly verbose?: boolean | undefined
  /** False for `--no-color`. */
  readonly color?: boolean | undefined
  /** False for `--no-input`. */
  readonly input?: boolean | undefined
  /** True for `--yes`. */
  readonly yes?: boolean | undefined
  /** Folder to run in. */
  readonly cwd?: string | undefined
}

export function processTerminal(): Terminal {
  const { env, stderr, stdin, stdout } = process
  return { cwd: process.cwd(), env, stdin, stdout, stderr }
}

export async function readStdin({ stdin }: Terminal): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of stdin) chunks.push(Buffer.from(chunk))
  return Buffer.concat(chunks).toString('utf8')
}

// Whether a prompt is possible: a terminal at both ends, and nothing that forbids it.
export function isInteractive(terminal: Terminal, flags: GlobalFlags): boolean {
  const { env, stdin, stdout } = terminal
  if (flags.yes || flags.json || flags.input === false) return false
  if (env['CI'] !== undefined && env['CI'] !== '' && env['CI'] !== 'false') return false
  return stdin.isTTY === true && stdout.isTTY === true
}

export function isColourful(terminal: Terminal, flags: GlobalFlags): boolean {
  const { env, stdout } = terminal
  if (flags.color === false || (env['NO_COLOR'] ?? '') !== '') return false
  const forced = env['FORCE_COLOR']
  if (forced !== undefined) return forced !== '0' && forced !== 'false'
  return stdout.isTTY === true && env['TERM'] !== 'dumb'
}
