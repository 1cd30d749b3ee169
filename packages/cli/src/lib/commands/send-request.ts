import { describeRejection, parseFields, parseValue } from '../accounts/create-user.ts'
import { type AuthFailure, describeFailure } from '../accounts/run-with-auth.ts'
import { CliError } from '../errors/cli-error.ts'
import { runInApp } from '../inspect/run-in-app.ts'
import { openProject } from '../project/open-project.ts'
import { apiCommand } from '../terminal/api-command.ts'
import { type CommandContext } from '../terminal/command-context.ts'
import { quoteForShell } from '../terminal/quote-for-shell.ts'
import { type Outcome } from '../terminal/reporter.ts'
import { readStdin } from '../terminal/terminal.ts'

export interface RequestOptions {
  readonly method: string
  /** Path with its query. */
  readonly path: string
  /** E-mail address of the caller. */
  readonly as?: string | undefined
  /** JSON of the body; `-` for standard input. */
  readonly data?: string | undefined
  /** `Name: value`. */
  readonly header?: readonly string[] | undefined
  /** Use an empty database in memory. */
  readonly memory?: boolean | undefined
  /** Custom fields of the user that is created in memory, `name=value`. */
  readonly field?: readonly string[] | undefined
}

interface Response {
  readonly status: number
  readonly reason: string
  readonly headers: Readonly<Record<string, string | readonly string[]>>
  readonly body: string
}

interface RequestResult {
  readonly response?: Response
  /** Reason why no request was sent, or no response came. */
  readonly failure?: 'auth_off' | 'unknown_user' | 'timeout'
  /** Why the user could not be created. */
  readonly rejected?: AuthFailure
}

const methods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']
const timeout = 30_000

// The server listens on a socket file, which no other process knows: no port, and the complete pipeline.
const script = `async (api, { method, path, headers, body, as, fields, memory, timeout }) => {
  const { createServer, withDatabase } = await import('@create-api/core')
  const { once } = await import('node:events')
  const { mkdtempSync, rmSync } = await import('node:fs')
  const { request } = await import('node:http')
  const { tmpdir } = await import('node:os')
  const { join } = await import('node:path')

  // A field for which no value is found is left out, so that the application names it.
  const addSamples = async () => {
    const { createSampleFields } = await import('@create-api/core/internal')
    const unique = crypto.randomUUID().slice(-12)
    let complete = fields
    for (const [name, schema] of Object.entries(api.auth.schemas.fields.shape)) {
      try {
        complete = createSampleFields({ shape: { [name]: schema } }, complete, unique)
      } catch {}
    }
    return complete
  }
  const createUser = async (email) => {
    const password = crypto.randomUUID()
    try {
      const complete = await addSamples()
      return { user: await api.auth.createUser({ email, password, roles: [], fields: complete }) }
    } catch (error) {
      return { rejected: (${describeFailure})(error) }
    }
  }
  const send = async (authorization) => {
    const folder = mkdtempSync(join(tmpdir(), 'api-request-'))
    const socketPath = process.platform === 'win32' ? join('\\\\\\\\.\\\\pipe', folder) : join(folder, 'http')
    const server = createServer(api.app)
    try {
      await once(server.listen(socketPath), 'listening')
      const signal = AbortSignal.timeout(timeout)
      const all = { host: 'localhost', ...authorization, ...headers }
      const sent = request({ socketPath, method, path, headers: all, agent: false, signal }).end(body)
      const [response] = await once(sent, 'response')
      const chunks = []
      for await (const chunk of response) chunks.push(chunk)
      const { statusCode: status, statusMessage: reason } = response
      const text = Buffer.concat(chunks).toString()
      return { response: { status, reason, headers: response.headers, body: text } }
    } catch (error) {
      if (error.name === 'AbortError') return { failure: 'timeout' }
      throw error
    } finally {
      server.closeAllConnections()
      server.close()
      rmSync(folder, { recursive: true, force: true })
    }
  }
  const sendAs = async () => {
    if (as === undefined) return send({})
    const found = await api.auth.users.findByEmail(as)
    if (!found && !memory) return { failure: 'unknown_user' }
    const { rejected, user } = found ? { user: found } : await createUser(as)
    if (rejected) return { rejected }
    const { accessToken, tokenType } = await api.auth.issueTokens(user)
    const { sid } = JSON.parse(Buffer.from(accessToken.split('.')[1], 'base64url'))
    try {
      return await send({ authorization: tokenType + ' ' + accessToken })
    } finally {
      await api.auth.sessions.revoke({ sessionId: sid, userId: user.id }, 'logout')
    }
  }
  if (as !== undefined && !api.auth) return { failure: 'auth_off' }
  if (api.config.database === false) return sendAs()
  return withDatabase(api, async (connection) => {
    if (memory) await Promise.all(Object.values(connection.models).map((model) => model.createIndexes()))
    await api.auth?.init()
    try {
      return await sendAs()
    } finally {
      await api.auth?.stop()
    }
  })
}`

// Runs the application with its database, sends it one request, and prints the response.
export async function sendRequest(
  options: RequestOptions,
  context: CommandContext,
): Promise<Outcome> {
  const method = readMethod(options.method)
  const { as, memory = false, path } = options
  if (!path.startsWith('/')) {
    throw new CliError('USAGE', `"${path}" is not a path: it must begin with /`)
  }
  if (/[^\u0021-\u007E]/.test(path)) {
    throw new CliError('USAGE', `"${path}" has characters that a URL must escape`, {
      hint: `${apiCommand} request ${method} ${quoteForShell(encodeURI(path))}`,
    })
  }
  // Sent as it is: what the application says about a malformed body is part of what one wants to see.
  const body = options.data === '-' ? await readStdin(context.terminal) : options.data
  const type = body === undefined ? {} : { 'content-type': 'application/json' }
  const headers = { ...type, ...readHeaders(options.header ?? []) }
  const project = openProject(context.cwd)
  const fields = parseFields(options.field ?? [])
  const { env } = context.terminal
  const result = await runInApp<RequestResult>(project, script, {
    env: memory ? { ...env, MONGODB_URI: 'embedded:memory' } : env,
    input: { method, path, headers, body, as, fields, memory, timeout },
  })
  if (result.rejected) throw describeRejection(result.rejected, as ?? '')
  if (result.response === undefined) throw toError(result.failure, options)
  return describe(result.response)
}

function describe({ body, headers, reason, status }: Response): Outcome {
  const isJson = /[/+]json\b/.test(String(headers['content-type'] ?? ''))
  const content = isJson ? parseValue(body) : body
  const fields = Object.entries(headers).flatMap(([name, value]) =>
    [value].flat().map((one) => `${name}: ${one}`),
  )
  const text = typeof content === 'string' ? content : JSON.stringify(content, undefined, 2)
  return {
    exit: status < 400 ? 0 : 1,
    json: { command: 'request', status, headers, body: content },
    lines: [`HTTP/1.1 ${status} ${reason}`, ...fields, ...(text === '' ? [] : ['', text])],
    notes: [],
  }
}

function readMethod(text: string): string {
  const method = text.toUpperCase()
  if (methods.includes(method)) return method
  throw new CliError('USAGE', `unknown method "${text}"`, {
    hint: `one of ${methods.join(', ')}: ${apiCommand} request GET /`,
  })
}

export function readHeaders(headers: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    headers.map((header) => {
      const [, name, value] = /^([\w-]+):\s*(.*)$/.exec(header) ?? []
      if (name !== undefined && value !== undefined) return [name.toLowerCase(), value]
      throw new CliError('USAGE', `"${header}" is not a header such as "If-Match: *"`)
    }),
  )
}

function toError(failure: RequestResult['failure'], { as = '' }: RequestOptions): CliError {
  if (failure === 'timeout') {
    return new CliError(
      'PROBLEMS_FOUND',
      `there was no complete response within ${timeout / 1000} s`,
    )
  }
  if (failure === 'auth_off') {
    return new CliError('PROBLEMS_FOUND', 'authentication is disabled (auth: false)')
  }
  return new CliError('USAGE', `there is no user ${as}`, {
    hint: `create the user, or use an empty database with --memory: ${apiCommand} users create --email ${quoteForShell(as)}`,
  })
}
