import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { CliError } from '../errors/cli-error.ts'
import { findSource, nodeFlags } from '../inspect/run-in-app.ts'
import { openProject } from '../project/open-project.ts'
import { type CommandContext } from '../terminal/command-context.ts'
import { onStopSignal } from '../terminal/on-stop-signal.ts'
import { rejectJson } from '../terminal/reject-json.ts'
import { type Outcome } from '../terminal/reporter.ts'

// Runs the service without serving requests, until a signal stops it.
export async function work(_options: object, context: CommandContext): Promise<Outcome> {
  rejectJson(context, 'api work')
  const project = openProject(context.cwd)
  const args = [...nodeFlags(project), findSource(project, 'server')]
  const child = spawn(process.execPath, args, {
    cwd: project.root,
    env: { ...context.terminal.env, WORKER: 'only' },
    stdio: ['ignore', 'inherit', 'inherit'],
    // Ctrl+C in a terminal would otherwise reach it twice, and a second signal aborts the shutdown.
    detached: process.platform !== 'win32',
  })
  const restoreSignals = onStopSignal((signal) => child.kill(signal))
  const [code] = await once(child, 'exit')
  restoreSignals()
  if (code !== 0) throw new CliError('PROBLEMS_FOUND', `the worker has ended with code ${code}`)
  return { json: { command: 'work' }, lines: [], notes: [] }
}
