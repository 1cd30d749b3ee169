import { type ChildProcess, fork, type ForkOptions } from 'node:child_process'
import { once } from 'node:events'

/**
 * Runs a TypeScript file in a separate process, with the packages' sources.
 * @param file - its path
 * @param args - of the program
 * @param options - what differs from `fork`
 * @returns the process
 */
export function forkSource(
  file: string,
  args: readonly string[] = [],
  options: Omit<ForkOptions, 'execArgv'> = {},
): ChildProcess {
  const execArgv = ['--conditions=@create-api/source', '--import', 'tsx']
  return fork(file, args, { ...options, execArgv })
}

/**
 * Waits for the next message of a process.
 * @param child - the process
 * @returns the message
 * @throws Error when it ends before
 */
export async function nextMessage(child: ChildProcess): Promise<unknown> {
  const abort = new AbortController()
  const { signal } = abort
  try {
    return await Promise.race([
      once(child, 'message', { signal }).then(([message]) => message),
      once(child, 'exit', { signal }).then(([code, ended]) => {
        throw new Error(`The process ended with ${ended ?? code} before it sent a message.`)
      }),
    ])
  } finally {
    abort.abort()
  }
}
