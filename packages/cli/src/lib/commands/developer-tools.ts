import { type JsonObject, type ToolDefinition, type ToolResult } from '@create-api/mcp'
import * as z from 'zod/mini'
import { CliError } from '../errors/cli-error.ts'
import { findOperation } from '../inspect/find-operation.ts'
import { readOpenApi } from '../inspect/inspect-app.ts'
import { openProject } from '../project/open-project.ts'
import { type CommandContext } from '../terminal/command-context.ts'
import { type Outcome } from '../terminal/reporter.ts'
import { examineProject } from './examine-project.ts'
import { generateResource } from './generate-resource.ts'
import { listRoutes } from './list-routes.ts'
import { sendRequest } from './send-request.ts'

export interface DeveloperToolsOptions {
  /** Whether tools may change files, and send requests other than GET. */
  readonly write: boolean
}

export interface DeveloperTools {
  readonly tools: readonly ToolDefinition[]
  call(name: string, values: JsonObject): Promise<ToolResult>
}

interface DeveloperTool {
  readonly title: string
  readonly description: string
  readonly input: z.core.$ZodObject
  /** Whether it changes nothing, with any arguments that are allowed. */
  readonly readOnly: boolean
  run(values: unknown): Promise<Outcome>
}

// The commands as tools: a call runs what the command runs, and returns its JSON.
export function createDeveloperTools(
  context: CommandContext,
  { write }: DeveloperToolsOptions,
): DeveloperTools {
  const tools = new Map(Object.entries(describeTools(toJsonContext(context), write)))
  return {
    tools: Array.from(tools, ([name, tool]) => toDefinition(name, tool)),
    async call(name, values) {
      const tool = tools.get(name)
      if (!tool) throw new TypeError(`there is no tool ${name}`)
      const parsed = z.safeParse(tool.input, values)
      if (!parsed.success) return toFailure(z.prettifyError(parsed.error))
      try {
        const { json } = await tool.run(parsed.data)
        return toSuccess(json)
      } catch (error) {
        if (error instanceof CliError) return toFailure(describeError(error))
        throw error
      }
    },
  }
}

// Nothing but messages may be written to standard output.
function toJsonContext(context: CommandContext): CommandContext {
  const { flags, terminal } = context
  return {
    ...context,
    flags: { ...flags, json: true, input: false },
    interactive: false,
    terminal: { ...terminal, stdout: terminal.stderr },
    report: () => undefined,
  }
}

const routesInput = z.strictObject({
  filter: z.optional(z.string()),
  method: z.optional(z.string()),
  access: z.optional(z.string()),
})
const schemaInput = z.strictObject({ method: z.string(), path: z.string() })
const nothing = z.strictObject({})
const generateInput = z.strictObject({
  name: z.string(),
  fields: z.array(z.string()),
  access: z.optional(z.string()),
  dryRun: z.optional(z.boolean()),
})
const requestInput = z.strictObject({
  method: z.optional(z.string()),
  path: z.string(),
  as: z.optional(z.string()),
  body: z.optional(z.unknown()),
})

function describeTools(context: CommandContext, write: boolean): Record<string, DeveloperTool> {
  return {
    dev_routes: {
      title: 'List routes',
      description: 'Lists the routes of the application: method, path, access, handler and file.',
      input: routesInput,
      readOnly: true,
      run: (values) => listRoutes(z.parse(routesInput, values), context),
    },
    dev_schema: {
      title: 'Describe an operation',
      description:
        'Returns an operation of the OpenAPI document with the components that it refers to. The path is like /api/posts/:id.',
      input: schemaInput,
      readOnly: true,
      run: (values) => describeOperation(z.parse(schemaInput, values), context),
    },
    dev_doctor: {
      title: 'Find problems',
      description: 'Finds problems in the project and suggests fixes.',
      input: nothing,
      readOnly: true,
      run: () => examineProject({}, context),
    },
    dev_generate: {
      title: 'Generate a resource',
      description: `Shows the files of a new resource. Fields are like title:string:required, views:int:default=0. ${write ? 'With dryRun: false, writes them.' : 'Writes nothing.'}`,
      input: generateInput,
      readOnly: !write,
      async run(values) {
        const { dryRun = true, ...request } = z.parse(generateInput, values)
        if (!dryRun) requireWrite(write)
        return generateResource({ ...request, dryRun, skipExisting: true }, context)
      },
    },
    dev_request: {
      title: 'Send a request',
      description: `Sends the application a request without starting it, as a user (e-mail address) if \`as\` names one.${write ? '' : ' Only GET.'}`,
      input: requestInput,
      readOnly: !write,
      async run(values) {
        const { body, method = 'GET', ...request } = z.parse(requestInput, values)
        if (!/^(?:get|head|options)$/i.test(method)) requireWrite(write)
        const data = body === undefined ? undefined : JSON.stringify(body)
        return sendRequest({ ...request, method, data }, context)
      },
    },
  }
}

function requireWrite(write: boolean): void {
  if (write) return
  throw new CliError('USAGE', 'this server may change nothing', {
    hint: 'start it with --write: npx api mcp --write',
  })
}

async function describeOperation(
  { method, path }: z.output<typeof schemaInput>,
  context: CommandContext,
): Promise<Outcome> {
  const document = await readOpenApi(openProject(context.cwd), context.terminal.env)
  const found = findOperation(document, { method, path })
  if (found === undefined) {
    throw new CliError('USAGE', `there is no operation ${method} ${path}`, {
      hint: 'see dev_routes',
    })
  }
  return { json: { command: 'schema', ...found }, lines: [], notes: [] }
}

function toDefinition(
  name: string,
  { title, description, input, readOnly }: DeveloperTool,
): ToolDefinition {
  const { $schema: _, ...schema } = z.toJSONSchema(input, { io: 'input' })
  return {
    name,
    title,
    description,
    inputSchema: { ...schema, type: 'object' },
    outputSchema: { type: 'object' },
    annotations: {
      readOnlyHint: readOnly,
      destructiveHint: !readOnly,
      idempotentHint: readOnly,
      openWorldHint: false,
    },
  }
}

function toSuccess(json: JsonObject): ToolResult {
  const text = JSON.stringify(json)
  return { content: [{ type: 'text', text }], structuredContent: JSON.parse(text) }
}

export function toFailure(text: string): ToolResult {
  return { content: [{ type: 'text', text }], isError: true }
}

export function describeError({ code, details, hint, message }: CliError): string {
  return JSON.stringify({ code, message, details, hint })
}
