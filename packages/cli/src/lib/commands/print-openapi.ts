import { inspectApp } from '../inspect/inspect-app.ts'
import { findProjectRoot, readProject } from '../project/open-project.ts'
import { type CommandContext } from '../terminal/command-context.ts'
import { type Outcome } from '../terminal/reporter.ts'

/**
 * Prints the OpenAPI document of the application, as `/openapi.json` serves it.
 *
 * @param context the world
 * @returns the document
 * @throws CliError `PROBLEMS_FOUND` when the application cannot be imported
 */
export async function printOpenApi(context: CommandContext): Promise<Outcome> {
  const project = readProject(findProjectRoot(context.cwd))
  const { openapi } = await inspectApp(project, context.terminal.env)
  return {
    json: { command: 'openapi', document: openapi },
    lines: [JSON.stringify(openapi, undefined, 2)],
    notes: [],
  }
}
