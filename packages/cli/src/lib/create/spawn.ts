import { spawn } from 'node:child_process'

/** How to run a program. */
export interface SpawnOptions {
  readonly cwd: string
  readonly env: Readonly<Record<string, string | undefined>>
}

/** How a program ended. */
export interface Ended {
  /** Exit code; 127 when it could not be started. */
  readonly code: number
  /** What it wrote, both streams. */
  readonly output: string
}

/**
 * Runs a program with a list of arguments, never through a shell.
 *
 * @param command the program
 * @param args its arguments
 * @param options where and with which environment
 * @returns how it ended; never throws
 */
export function runProgram(
  command: string,
  args: readonly string[],
  options: SpawnOptions,
): Promise<Ended> {
  return new Promise((done) => {
    const child = spawn(command, args, {
      cwd: options.cwd,
      env: { ...options.env },
      stdio: ['ignore', 'pipe', 'pipe'],
      shell: false,
    })
    const chunks: Buffer[] = []
    // Interrupted, we leave nobody behind who goes on writing.
    const stop = (): void => void child.kill()
    process.once('exit', stop)
    child.stdout.on('data', (chunk: Buffer) => chunks.push(chunk))
    child.stderr.on('data', (chunk: Buffer) => chunks.push(chunk))
    child.on('error', (error) => done({ code: 127, output: error.message }))
    child.on('close', (code) => {
      process.removeListener('exit', stop)
      done({ code: code ?? 1, output: Buffer.concat(chunks).toString('utf8') })
    })
  })
}

/**
 * Runs a program in the foreground until it ends; signals we get are passed on.
 *
 * @param command the program
 * @param args its arguments
 * @param options where and with which environment
 * @returns its exit code; 0 when the user ended it
 */
export function runForeground(
  command: string,
  args: readonly string[],
  options: SpawnOptions,
): Promise<number> {
  return new Promise((done) => {
    const child = spawn(command, args, {
      cwd: options.cwd,
      env: { ...options.env },
      stdio: 'inherit',
      shell: false,
    })
    let stopped = false
    // A terminal sends Ctrl-C to the child as well; a second signal would cut its farewell short.
    const onInterrupt = (): void => {
      stopped = true
      if (!process.stdin.isTTY) child.kill('SIGINT')
    }
    const onTerminate = (): void => {
      stopped = true
      child.kill('SIGTERM')
    }
    process.removeAllListeners('SIGINT')
    process.removeAllListeners('SIGTERM')
    process.on('SIGINT', onInterrupt)
    process.on('SIGTERM', onTerminate)
    child.on('error', () => done(127))
    child.on('close', (code) => done(stopped ? 0 : (code ?? 1)))
  })
}
