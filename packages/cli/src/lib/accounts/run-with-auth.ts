import { CliError } from '../errors/cli-error.ts'
import { runInApp } from '../inspect/run-in-app.ts'
import { openProject } from '../project/open-project.ts'
import { type CommandContext } from '../terminal/command-context.ts'

// An error of the application: it rejected the input, or could not do what was asked.
export interface AuthFailure {
  /** Code of the error, if it has one. */
  readonly code?: string
  readonly message: string
  /** The faults of the input, one line for each. */
  readonly problems: readonly string[]
}

type AuthResult<Value> =
  | { readonly value: Value; readonly failure?: undefined }
  | { readonly value?: undefined; readonly failure: AuthFailure }

// Calls `work`, the source of a function `(api, input) => value`, with the authentication of the application
// and its database, whether or not the service is running.
export async function runWithAuth<Value>(
  work: string,
  input: unknown,
  { context, toError }: AuthRun,
): Promise<Value> {
  const project = openProject(context.cwd)
  const { failure, value } = await runInApp<AuthResult<Value>>(project, createScript(work), {
    env: context.terminal.env,
    input,
  })
  if (failure === undefined) return value
  if (failure.code !== 'auth_off') throw toError(failure)
  throw new CliError('PROBLEMS_FOUND', 'authentication is disabled (auth: false)')
}

interface AuthRun {
  readonly context: CommandContext
  readonly toError: (failure: AuthFailure) => CliError
}

interface FailureTexts {
  /** What the faults of the input led to. */
  readonly rejected: string
  /** What could not be done, for whatever other reason. */
  readonly failed: string
  readonly hint?: string
}

export function toAuthError(
  { message, problems }: AuthFailure,
  { failed, hint, rejected }: FailureTexts,
): CliError {
  if (problems.length === 0) {
    return new CliError('PROBLEMS_FOUND', failed, { details: [`  ${message}`] })
  }
  return new CliError('USAGE', rejected, { details: problems.map((one) => `  ${one}`), hint })
}

// The source of a function that turns what was thrown into an `AuthFailure`.
export const describeFailure = `({ code, detail, errors = [], issues = [], message }) => ({
  code,
  message: detail ?? message,
  problems: [
    ...issues.map(({ path, message }) => [...path.slice(0, 1), message].join(' ')),
    ...errors.map(({ detail, pointer }) => pointer.replace('#/', '') + ' ' + detail),
  ],
})`

function createScript(work: string): string {
  return `async (api, input) => {
  const { auth } = api
  if (auth === undefined) return { failure: { code: 'auth_off', message: '', problems: [] } }
  try {
    const { withDatabase } = await import('@create-api/core')
    const value = await withDatabase(api, async () => {
      await auth.init()
      const value = await (${work})(api, input)
      await auth.stop()
      return value
    })
    return { value }
  } catch (error) {
    return { failure: (${describeFailure})(error) }
  }
}`
}
