import { isErrno } from './files/plan.ts'
import { type ProgramFactory, run } from './programs/run.ts'
import { processTerminal } from './terminal/terminal.ts'

export async function main(createProgram: ProgramFactory): Promise<void> {
  // Files are written in one synchronous step, so a signal arrives before it, when nothing is
  // written, or after it, when the exit code is known.
  let exitCode: number | undefined
  process.on('SIGINT', () => process.exit(exitCode ?? 130))
  process.on('SIGTERM', () => process.exit(exitCode ?? 143))
  // The reader has closed the pipe: api openapi | head
  process.stdout.on('error', (error) => process.exit(isErrno(error, 'EPIPE') ? 0 : 1))
  exitCode = await run(createProgram, process.argv.slice(2), processTerminal())
  process.exitCode = exitCode
}
