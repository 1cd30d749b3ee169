import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { stripVTControlCharacters } from 'node:util'

/** A program in a terminal with a scripted user. */
export interface PseudoTerminal {
  /** Everything shown so far, without colours and movements of the cursor. */
  readonly shown: () => string
  /** Waits until a text is shown that was not shown before the last call. */
  readonly waitFor: (text: string) => Promise<void>
  readonly type: (keys: string) => void
  /** Waits for the end; gives the exit code. */
  readonly end: () => Promise<number | null>
}

/** The keys a person has. */
export const keys = { enter: '\r', ctrlC: '\u0003', down: '\u001B[B', n: 'n' } as const

/** False where there is no `script` of util-linux, as on macOS and Windows. */
export const hasTerminal =
  spawnSync('script', ['--version']).stdout?.includes('util-linux') ?? false

/**
 * Runs a program in a terminal of 80 columns.
 *
 * @param command the program and its arguments
 * @param cwd folder to run it in
 * @param env its environment
 * @returns the terminal
 */
export function openTerminal(
  command: readonly string[],
  cwd: string,
  env: NodeJS.ProcessEnv = {},
): PseudoTerminal {
  const quoted = command.map((word) => `'${word.replaceAll("'", String.raw`'\''`)}'`).join(' ')
  const line = `stty cols 80 rows 24; exec ${quoted}`
  const child = spawn(
    'script',
    ['--quiet', '--return', '--flush', '--command', line, '/dev/null'],
    {
      cwd,
      env: { PATH: process.env['PATH'], HOME: process.env['HOME'], TERM: 'xterm-256color', ...env },
    },
  )
  const closed = once(child, 'close')
  let output = ''
  let seen = 0
  child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()))
  const shown = (): string => stripVTControlCharacters(output)
  return {
    shown,
    type: (text) => child.stdin.write(text),
    waitFor: (text) =>
      new Promise((done, fail) => {
        const look = (): void => {
          const at = shown().indexOf(text, seen)
          if (at === -1) return
          seen = at + text.length
          child.stdout.off('data', look)
          done()
        }
        child.stdout.on('data', look)
        child.on('close', () => fail(new Error(`ended without "${text}":\n${shown()}`)))
        look()
      }),
    end: async () => {
      const [code] = await closed
      return code
    },
  }
}
