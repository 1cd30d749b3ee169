import { spawn } from 'node:child_process'

export interface SpawnOptions {
  readonly cwd: string
  readonly env: Readonly<Record<string, string | undefined>>
}

export interface ProgramResult {
  /** Exit code; 127 when it could not be started. */
  readonly code: number
  /** Text of stdout and stderr. */
  readonly output: string
}

// The variables of an environment whose names do not match.
export function withoutVariables(env: SpawnOptions['env'], names: RegExp): SpawnOptions['env'] {
  return Object.fromEntries(Object.entries(env).filter(([name]) => !names.test(name)))
}

// Never uses a shell and never throws.
export function runProgram(
  command: string,
  args: readonly string[],
  options: SpawnOptions,
): Promise<ProgramResult> {
  return new Promise((done) => {
    const child = spawn(command, args, {
      cwd: options.cwd,
      env: { ...options.env },
      stdio: ['ignore', 'pipe', 'pipe'],
      shell: false,
    })
    const chunks: Buffer[] = []
    // When this process is interrupted, the child must not continue to write.
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
