import { type JsonObject, type ToolDefinition, type ToolResult } from '@create-api/mcp'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { pathToFileURL } from 'node:url'
import { CliError } from '../errors/cli-error.ts'
import { type Project } from '../project/open-project.ts'
import { findSource, nodeFlags } from './run-in-app.ts'

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
  /** Names of the tools whose route can admit the caller. */
  readonly listed: readonly string[]
  call(name: string, values: JsonObject): Promise<ToolResult>
  /** Waits for the calls that run, disconnects the database and waits until the process has exited. */
  stop(): Promise<void>
}

interface Message {
  readonly id?: number
  readonly tools?: readonly ToolDefinition[]
  readonly listed?: readonly string[]
  readonly result?: ToolResult
  readonly failure?: string
}

/** A process that has loaded the packages, and waits to import the application. */
export interface PreparedTools {
  readonly hasExited: boolean
  /** Throws CliError if the application cannot be imported, or the caller does not exist. */
  start(): Promise<AppTools>
  kill(): void
}

// Its modules are those of the project, and what it prints would not be a message of the protocol.
export function prepareAppTools(
  project: Project,
  { env, as, headers }: AppToolsOptions,
): PreparedTools {
  const app = pathToFileURL(findSource(project, 'app')).href
  const flags = [...nodeFlags(project), '--input-type=module']
  const input = JSON.stringify({ app, as, headers })
  const child = spawn(process.execPath, [...flags, '-e', script, '--', input], {
    cwd: project.root,
    env: { ...env },
    stdio: ['ignore', process.stderr, process.stderr, 'ipc'],
  })
  const exited = once(child, 'exit')
  const pending = new Map<number, (message: Message) => void>()
  const settleCall = (id: number, message: Message): void => {
    pending.get(id)?.(message)
    pending.delete(id)
  }
  const ready = new Promise<Message>((resolve, reject) => {
    child.on('message', ({ id, ...message }: Message) => {
      if (id !== undefined) settleCall(id, message)
      else if (message.failure === undefined) resolve(message)
      else reject(failed(message.failure))
    })
    child.once('exit', () => {
      reject(failed('it exited while it was imported'))
      for (const id of pending.keys()) settleCall(id, { failure: 'the application has exited' })
    })
  })
  // Until it is started, a failure has no reader.
  ready.catch(() => undefined)
  const finishCalls = async (): Promise<void> => {
    while (pending.size > 0) await once(child, 'message')
  }
  return {
    get hasExited() {
      return child.exitCode !== null || child.signalCode !== null
    },
    async start() {
      if (child.connected) child.send('start', () => undefined)
      const { listed = [], tools = [] } = await ready
      return {
        tools,
        listed,
        call: (name, values) => callIn(child, pending, { name, values }),
        async stop() {
          await Promise.race([exited, finishCalls()])
          if (child.connected) child.disconnect()
          await exited
        },
      }
    },
    kill: () => void child.kill('SIGKILL'),
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
  if (!child.connected) throw new Error('the application has exited')
  const settled = new Promise<Message>((resolve) => pending.set(id, resolve))
  child.send({ id, ...call })
  const { failure, result } = await settled
  if (result) return result
  throw new Error(failure ?? 'the application has returned nothing')
}

const script = `
  const { once } = await import('node:events')
  const { app, as, headers } = JSON.parse(process.argv[1])
  const fail = (error) => process.send({ failure: error?.message ?? String(error) }, () => process.exit(1))
  process.on('uncaughtException', fail)
  const started = once(process, 'message')
  const { withDatabase } = await import('@create-api/core')
  const { getMcp } = await import('@create-api/mcp')
  await started
  const { api } = await import(app)
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
    // Of credentials that are not valid, the calls report the problem.
    const listed = await mcp.list({ headers: all }).catch(() => mcp.tools)
    process.send({ tools: mcp.tools, listed: listed.map(({ name }) => name) })
    await disconnected
    await session?.logOut()
    await api.auth?.stop()
  }
  if (!mcp) process.send({ tools: [] })
  else if (api.config.database === false) await serve()
  else await withDatabase(api, serve)
  process.exit(0)
`
