import { jobsPackage } from '../create/dependencies.ts'
import { toInstallCommand } from '../create/install-command.ts'
import { CliError, type CliErrorCode } from '../errors/cli-error.ts'
import { runInApp } from '../inspect/run-in-app.ts'
import { openProject } from '../project/open-project.ts'
import { type CommandContext } from '../terminal/command-context.ts'

// A request to the manager of @create-api/jobs.
export interface ManagerCall {
  readonly method: 'list' | 'retry' | 'discard' | 'pause'
  readonly args: readonly unknown[]
}

type Reply<Value> =
  | { readonly value: Value; readonly failure?: undefined }
  | { readonly failure: { readonly code?: string; readonly message: string } }

const script = `async (api, { args, method }) => {
  try {
    const { withDatabase } = await import('@create-api/core')
    const { createJobManager, findDefinition } = await import('@create-api/jobs/internal')
    const definition = findDefinition(api)
    const value = await withDatabase(api, () => createJobManager(definition)[method](...args))
    return { value: value ?? null }
  } catch (error) {
    return { failure: { code: error.code, message: error.message } }
  }
}`

const errorCodes: ReadonlyMap<string, CliErrorCode> = new Map(
  Object.entries<CliErrorCode>({ job_unknown: 'USAGE', job_state: 'CONFLICT' }),
)

// Calls the manager with the application and its database.
export async function runManager<Value>(
  call: ManagerCall,
  { cwd, terminal }: CommandContext,
): Promise<Value> {
  const project = openProject(cwd)
  const reply = await runInApp<Reply<Value>>(project, script, { env: terminal.env, input: call })
  if (reply.failure === undefined) return reply.value
  const { code = '', message } = reply.failure
  if (code === 'ERR_MODULE_NOT_FOUND' && message.includes(jobsPackage)) {
    throw new CliError('PROBLEMS_FOUND', `${jobsPackage} is not installed`, {
      hint: toInstallCommand([jobsPackage], { cwd, folder: project.root }),
    })
  }
  throw new CliError(errorCodes.get(code) ?? 'PROBLEMS_FOUND', message)
}
