import { relative } from 'node:path'
import { runService } from '../develop/run-service.ts'
import { findSource, nodeFlags } from '../inspect/run-in-app.ts'
import { openProject } from '../project/open-project.ts'
import { type CommandContext } from '../terminal/command-context.ts'
import { rejectJson } from '../terminal/reject-json.ts'
import { type Outcome } from '../terminal/reporter.ts'

export interface DevelopOptions {
  /** Address of the inspector of Node.js; true for the default. */
  readonly inspect?: string | true | undefined
}

export async function develop(
  { inspect }: DevelopOptions,
  context: CommandContext,
): Promise<Outcome> {
  rejectJson(context, 'api dev')
  const project = openProject(context.cwd)
  const entry = relative(project.root, findSource(project, 'server'))
  const { env } = context.terminal
  const flags = nodeFlags(project)
  await runService({ root: project.root, entry, flags, inspect, env }, project, context)
  return { json: { command: 'dev' }, lines: [], notes: [] }
}
