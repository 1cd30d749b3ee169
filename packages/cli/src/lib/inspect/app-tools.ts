import { type JsonObject, type ToolDefinition, type ToolResult } from '@create-api/mcp'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { pathToFileURL } from 'node:url'
import { CliError } from '../errors/cli-error.ts'
import { type Project } from '../project/open-project.ts'
import { findSource } from './run-in-app.ts'

export interface AppToolsOptions {
  readonly env: Readonly<Record<string, string | undefined>>
  /** E-mail address of the caller. */
  readonly as: string | undefined
  /** Header fields of each call. */
  readonly headers: Readonly<Record<string, string>>
}

/** The tools of an application that runs in a child process. */
export interface AppTools {
  readonly tools: readonly ToolDefinition[]
  call(name: string, values: JsonObject): Promise<ToolResult>
  /** Disconnects the database and waits until the process has exited. */
  stop(): Promise<void>
}

interface Message {
  readonly id?: number
  readonly tools?: readonly ToolDefinition[]
  readonly result?: ToolResult
  readonly failure?: string
}

// Its modules are those of the project, and what it prints would not be a message of the protocol.
export async function startAppTools(
  project: Project,
  { env, as, headers }: AppToolsOptions,
): Promise<AppTools> {
  const app = pathToFileURL(findSource(project, 'app.ts')).href
  const flags = ['--env-file-if-exists=.env', '--import', 'tsx', '--input-type=module']
  const input = JSON.stringify({ app, as, headers })
  const child = spawn(process.execPath, [...flags, '-e', script, '--', input], {
    cwd: project.root,
    env: { ...env },
    stdio: ['ignore', process.stderr, process.stderr, 'ipc'],
  })
  const exited = once(child, 'exit')
  const pending = new Map<number, (message: Message) => void>()
  const tools = await new Promise<readonly ToolDefinition[]>((resolve, reject) => {
    child.on('message', ({ failure, id, ...message }: Message) => {
      if (id !== undefined) pending.get(id)?.({ failure, ...message })
      else if (failure === undefined) resolve(message.tools ?? [])
      else reject(failed(failure))
    })
    child.once('exit', () => {
      reject(failed('it exited while it was imported'))
      for (const settle of pending.values()) settle({ failure: 'the application has exited' })
    })
  })
  return {
    tools,
    call: (name, values) => callIn(child, pending, { name, values }),
    async stop() {
      if (child.connected) child.disconnect()
      await exited
    },
  }
}

function failed(message: string): CliError {
  return new CliError('PROBLEMS_FOUND', 'the tools of the application are not available', {
    details: message.split('\n').map((line) => `  ${line}`),
  })
}

let lastId = 0

async function callIn(
  child: ChildProcess,
  pending: Map<number, (message: Message) => void>,
  call: { readonly name: string; readonly values: JsonObject },
): Promise<ToolResult> {
  const id = ++lastId
  const settled = new Promise<Message>((resolve) => pending.set(id, resolve))
  if (!child.connected) pending.get(id)?.({ failure: 'the application has exited' })
  else child.send({ id, ...call })
  const { failure, result } = await settled
  pending.delete(id)
  if (result) return result
  throw new Error(failure ?? 'the application has returned nothing')
}

const script = `
  const { once } = await import('node:events')
  const { app, as, headers } = JSON.parse(process.argv[1])
  const fail = (error) => process.send({ failure: error?.message ?? String(error) }, () => process.exit(1))
  process.on('uncaughtException', fail)
  const { api } = await import(app)
  const { withDatabase } = await import('@create-api/core')
  const { getMcp } = await import('@create-api/mcp')
  const mcp = getMcp(api)
  const disconnected = once(process, 'disconnect')

  const logIn = async () => {
    if (!api.auth) throw new Error('Authentication is off, so --as has no meaning.')
    const user = await api.auth.users.findByEmail(as)
    if (!user) throw new Error('There is no user ' + as + '.')
    const { accessToken, tokenType } = await api.auth.issueTokens(user)
    const { sid } = JSON.parse(Buffer.from(accessToken.split('.')[1], 'base64url'))
    return {
      headers: { authorization: tokenType + ' ' + accessToken },
      logOut: () => api.auth.sessions.revoke({ sessionId: sid, userId: user.id }, 'logout'),
    }
  }
  const serve = async () => {
    await api.auth?.init()
    const session = as === undefined ? undefined : await logIn()
    const all = { ...headers, ...session?.headers }
    process.on('message', async ({ id, name, values }) => {
      try {
        process.send({ id, result: await mcp.call(name, values, { headers: all }) })
      } catch (error) {
        process.send({ id, failure: error.message })
      }
    })
    process.send({ tools: mcp.tools })
    await disconnected
    await session?.logOut()
    await api.auth?.stop()
  }
  if (!mcp) process.send({ tools: [] })
  else if (api.config.database === false) await serve()
  else await withDatabase(api, serve)
  process.exit(0)
`
