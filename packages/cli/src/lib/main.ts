import { isErrno } from './files/plan.ts'
import { type ProgramFactory, run } from './run.ts'
import { processTerminal } from './terminal/terminal.ts'

/**
 * Runs a program as this process.
 *
 * @param createProgram builds the program
 */
export async function main(createProgram: ProgramFactory): Promise<void> {
  // Files are written in one synchronous step, so an interruption comes before it or after it.
  process.on('SIGINT', () => process.exit(130))
  process.on('SIGTERM', () => process.exit(143))
  // The reader has seen enough: api openapi | head
  process.stdout.on('error', (error) => process.exit(isErrno(error, 'EPIPE') ? 0 : 1))
  process.exitCode = await run(createProgram, process.argv.slice(2), processTerminal())
}
