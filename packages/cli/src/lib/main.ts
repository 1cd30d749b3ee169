import { isErrno } from './files/plan.ts'
import { type ProgramFactory, run } from './run.ts'
import { processTerminal } from './terminal/terminal.ts'

/**
 * Runs a program as this process.
 *
 * @param createProgram builds the program
 */
export async function main(createProgram: ProgramFactory): Promise<void> {
  // Files are written in one synchronous step: an interruption comes before it, and then nothing
  // was written, or after it, and then it is too late to say so.
  let ended: number | undefined
  process.on('SIGINT', () => process.exit(ended ?? 130))
  process.on('SIGTERM', () => process.exit(ended ?? 143))
  // The reader has seen enough: api openapi | head
  process.stdout.on('error', (error) => process.exit(isErrno(error, 'EPIPE') ? 0 : 1))
  ended = await run(createProgram, process.argv.slice(2), processTerminal())
  process.exitCode = ended
}
