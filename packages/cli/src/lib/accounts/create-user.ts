import { CliError } from '../kernel/errors.ts'
import { runInApp } from '../inspect/run-in-app.ts'
import { findProjectRoot, readProject } from '../project/open-project.ts'
import { type CommandContext } from '../terminal/command-context.ts'
import { askPassword, askText } from '../terminal/prompts.ts'
import { type Note, type Outcome } from '../terminal/reporter.ts'
import { apiCommand } from '../terminal/api-command.ts'

export interface CreateUserOptions {
  /** Prompted for in a terminal. */
  readonly email?: string | undefined
  /** None for an ordinary user. */
  readonly role?: readonly string[] | undefined
  readonly passwordStdin?: boolean | undefined
  /** Custom fields of the application, `name=value`. */
  readonly field?: readonly string[] | undefined
}

interface CreatedUser {
  readonly id: string
  readonly email: string
  readonly roles: readonly string[]
}

type Result =
  | {
      readonly user: CreatedUser
      readonly accesses: readonly string[]
      readonly failure?: undefined
    }
  | { readonly user?: undefined; readonly failure: Failure }

interface Failure {
  readonly code?: string
  readonly message: string
  readonly problems: readonly string[]
}

const script = `async (api, input) => {
  const { auth, routes } = api
  if (auth === undefined) return { failure: { code: 'auth_off', message: '', problems: [] } }
  try {
    const { withDatabase } = await import('@create-api/core')
    const { id, email, roles } = await withDatabase(api, async () => {
      await auth.init()
      const user = await auth.createUser(input)
      await auth.stop()
      return user
    })
    return { user: { id, email, roles }, accesses: routes.map(({ route }) => route.access) }
  } catch (error) {
    const { code, errors = [], issues = [], message } = error
    const problems = [
      ...issues.map(({ path, message }) => [...path.slice(0, 1), message].join(' ')),
      ...errors.map(({ detail, pointer }) => pointer.replace('#/', '') + ' ' + detail),
    ]
    return { failure: { code, message, problems } }
  }
}`

// Applies the application's own rules and uses its database.
export async function createUser(
  options: CreateUserOptions,
  context: CommandContext,
): Promise<Outcome> {
  const project = readProject(findProjectRoot(context.cwd))
  const fields = parseFields(options.field ?? [])
  const email = options.email ?? (await askEmail(context))
  const password = await readPassword(options.passwordStdin === true, context)
  const input = { email, password, roles: options.role ?? [], fields }
  const { env } = context.terminal
  const result = await runInApp<Result>(project, script, { env, input })
  if (result.failure) throw toError(result.failure, email)
  const { accesses, user } = result
  const roles = user.roles.length > 0 ? `roles ${user.roles.join(', ')}, ` : ''
  return {
    json: { command: 'users create', user },
    lines: ['', `  create     ${user.email}  ${roles}id ${user.id}`, ''],
    notes: user.roles.flatMap((role) => warnAboutRole(role, accesses)),
  }
}

async function askEmail({ interactive }: CommandContext): Promise<string> {
  if (interactive) return askText('E-mail address', 'admin@example.com')
  throw new CliError('USAGE', '--email is missing', {
    hint: `${apiCommand} users create --email ada@example.com --role admin --password-stdin`,
  })
}

// From standard input or a prompt, never from the arguments: every process of the machine can see those,
// and the shell stores them.
async function readPassword(fromStdin: boolean, context: CommandContext): Promise<string> {
  if (fromStdin) return readAll(context)
  if (context.interactive) return askTwice()
  throw new CliError('USAGE', 'the password is missing and there is no terminal to prompt for it', {
    hint: 'pass it on standard input: --password-stdin < file',
  })
}

async function readAll({ terminal }: CommandContext): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of terminal.stdin) chunks.push(Buffer.from(chunk))
  // The final newline comes from echo, not from the password.
  const password = Buffer.concat(chunks)
    .toString('utf8')
    .replace(/\r?\n$/, '')
  if (password !== '') return password
  throw new CliError('USAGE', 'the password on standard input is empty')
}

async function askTwice(): Promise<string> {
  const password = await askPassword('Password')
  if ((await askPassword('Repeat the password')) === password) return password
  throw new CliError('USAGE', 'the passwords differ; nothing was done')
}

// `age=42` is a number and `name=Ada` a string; quote a string that looks like JSON: `code='"42"'`.
function parseFields(pairs: readonly string[]): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    pairs.map((pair) => {
      const at = pair.indexOf('=')
      if (at < 1) throw new CliError('USAGE', `--field ${pair} is not name=value`)
      return [pair.slice(0, at), parseValue(pair.slice(at + 1))]
    }),
  )
}

function parseValue(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

function toError({ code, message, problems }: Failure, email: string): CliError {
  const details = problems.map((problem) => `  ${problem}`)
  if (code === 'auth_off') {
    return new CliError('PROBLEMS_FOUND', 'authentication is disabled (auth: false)')
  }
  if (code === 'email_taken') return new CliError('CONFLICT', `${email} is already registered`)
  if (problems.length > 0) return new CliError('USAGE', 'the user was rejected', { details })
  return new CliError('PROBLEMS_FOUND', 'the user could not be created', {
    details: [`  ${message}`],
  })
}

function warnAboutRole(role: string, known: readonly string[]): readonly Note[] {
  if (['admin', ...known].includes(role)) return []
  const message = `no route requires the role ${role}`
  return [{ kind: 'warning', code: 'UNKNOWN_ROLE', message }]
}
