import { CliError } from '../errors/cli-error.ts'
import { runInApp } from '../inspect/run-in-app.ts'
import { openProject } from '../project/open-project.ts'
import { type CommandContext } from '../terminal/command-context.ts'

// A call of a function of @create-api/core/audit.
export interface AuditCall {
  readonly name: 'listAuditEntries' | 'verifyAudit' | 'purgeAudit'
  readonly args: readonly unknown[]
}

type Reply<Value> =
  | { readonly value: Value; readonly failure?: undefined }
  | { readonly failure: string }

const script = `async (api, { args, name }) => {
  try {
    const { withDatabase } = await import('@create-api/core')
    const audit = await import('@create-api/core/audit')
    return { value: await withDatabase(api, () => audit[name](...args)) }
  } catch (error) {
    return { failure: error.message }
  }
}`

// Calls it with the application and its database.
export async function runAudit<Value>(
  call: AuditCall,
  { cwd, terminal }: CommandContext,
): Promise<Value> {
  const project = openProject(cwd)
  const reply = await runInApp<Reply<Value>>(project, script, { env: terminal.env, input: call })
  if (reply.failure === undefined) return reply.value
  throw new CliError('PROBLEMS_FOUND', reply.failure)
}
