import type * as mcp from '@create-api/mcp'
import { type JsonObject, type ToolDefinition, type ToolResult } from '@create-api/mcp'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { mcpPackage } from '../create/dependencies.ts'
import { toInstallCommand } from '../create/install-command.ts'
import { CliError } from '../errors/cli-error.ts'
import { followAppTools } from '../develop/follow-app-tools.ts'
import { type AppTools } from '../inspect/app-tools.ts'
import { version } from '../package/own-package.ts'
import { openProject, type Project } from '../project/open-project.ts'
import { type CommandContext } from '../terminal/command-context.ts'
import { rejectJson } from '../terminal/reject-json.ts'
import { type Outcome } from '../terminal/reporter.ts'
import { createDeveloperTools, describeError, toFailure } from './developer-tools.ts'
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
  const app = await followAppTools(project, { env, as, headers }, context)
  const ofDeveloper = new Set(developer.tools.map(({ name }) => name))
  // A tool of the application with the name of one for developers would hide it.
  const findTools = (): readonly ToolDefinition[] => [
    ...developer.tools,
    ...app.tools.filter(({ name }) => !ofDeveloper.has(name)),
  ]
  await serveStdio({
    name: 'api',
    version,
    get tools() {
      return findTools()
    },
    list: () =>
      findTools().filter(({ name }) => ofDeveloper.has(name) || app.listed.includes(name)),
    watch: app.onChange,
    call: (name, values) =>
      ofDeveloper.has(name) ? developer.call(name, values) : callApp(app, name, values),
  })
  await app.stop()
  return { json: { command: 'mcp' }, lines: [], notes: [] }
}

// The program that has edited the application learns what is wrong with it.
async function callApp(app: AppTools, name: string, values: JsonObject): Promise<ToolResult> {
  try {
    return await app.call(name, values)
  } catch (error) {
    if (error instanceof CliError) return toFailure(describeError(error))
    throw error
  }
}

// The package is a dependency of the project: it serves the tools of the application.
async function loadMcp({ root }: Project, cwd: string): Promise<typeof mcp> {
  let file: string
  try {
    file = createRequire(join(root, 'package.json')).resolve(mcpPackage)
  } catch {
    throw new CliError('PROBLEMS_FOUND', `${mcpPackage} is not installed`, {
      hint: toInstallCommand([mcpPackage], { cwd, folder: root }),
    })
  }
  return import(pathToFileURL(file).href)
}
