import type * as mcp from '@create-api/mcp'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { mcpPackage } from '../create/dependencies.ts'
import { toInstallCommand } from '../create/install-command.ts'
import { CliError } from '../errors/cli-error.ts'
import { startAppTools } from '../inspect/app-tools.ts'
import { version } from '../package/own-package.ts'
import { openProject, type Project } from '../project/open-project.ts'
import { type CommandContext } from '../terminal/command-context.ts'
import { rejectJson } from '../terminal/reject-json.ts'
import { type Outcome } from '../terminal/reporter.ts'
import { createDeveloperTools } from './developer-tools.ts'
import { readHeaders } from './send-request.ts'

export interface ServeToolsOptions {
  /** E-mail address of the caller. */
  readonly as?: string | undefined
  /** `Name: value`. */
  readonly header?: readonly string[] | undefined
  /** Whether the tools for developers may change something. */
  readonly write?: boolean | undefined
}

// Serves the tools of the application and those for developers over standard input and output, until the client leaves.
export async function serveTools(
  { as, header = [], write = false }: ServeToolsOptions,
  context: CommandContext,
): Promise<Outcome> {
  rejectJson(context, 'api mcp')
  const project = openProject(context.cwd)
  const { serveStdio } = await loadMcp(project, context.cwd)
  const { env } = context.terminal
  const token = env['API_TOKEN']
  const headers = {
    ...(token !== undefined && { authorization: `Bearer ${token}` }),
    ...readHeaders(header),
  }
  const developer = createDeveloperTools(context, { write })
  const app = await startAppTools(project, { env, as, headers })
  const ofDeveloper = new Set(developer.tools.map(({ name }) => name))
  await serveStdio({
    name: 'api',
    version,
    // A tool of the application with the name of one for developers would hide it.
    tools: [...developer.tools, ...app.tools.filter(({ name }) => !ofDeveloper.has(name))],
    call: (name, values) =>
      ofDeveloper.has(name) ? developer.call(name, values) : app.call(name, values),
  })
  await app.stop()
  return { json: { command: 'mcp' }, lines: [], notes: [] }
}

// The package is a dependency of the project: it serves the tools of the application.
async function loadMcp({ root }: Project, cwd: string): Promise<typeof mcp> {
  let file: string
  try {
    file = createRequire(join(root, 'package.json')).resolve(mcpPackage)
  } catch {
    throw new CliError('PROBLEMS_FOUND', `${mcpPackage} is not installed`, {
      hint: toInstallCommand(mcpPackage, { cwd, folder: root }),
    })
  }
  return import(pathToFileURL(file).href)
}
