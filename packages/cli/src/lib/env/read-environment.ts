import { join } from 'node:path'
import { parseEnv } from 'node:util'
import { readText } from '../files/plan.ts'
import { runScript } from '../inspect/run-in-app.ts'
import { type Project } from '../project/open-project.ts'

export interface EnvironmentVariable {
  readonly name: string
  readonly meaning: string
  /** The value in effect; absent when there is none or it is secret. */
  readonly value?: string | undefined
  readonly default?: string | undefined
  /** Where the value comes from; `option` is the code of the service, which overrides all. */
  readonly source: 'option' | 'environment' | '.env' | 'default' | 'unset'
  /** The equivalent option in code; absent for the project's own variables. */
  readonly option?: string | undefined
  readonly isSecret: boolean
  readonly example: string
  /** Why the value is invalid. */
  readonly problem?: string | undefined
}

export interface ProjectEnvironment {
  readonly variables: readonly EnvironmentVariable[]
  /** Names in `.env` that nothing reads. */
  readonly unknown: readonly string[]
  /** Why the application could not be imported, if not because of its variables. */
  readonly failure?: string | undefined
}

// A ConfigError is not a failure here: each variable reports its own problem.
const script = `
  const { recordEnvironment } = await import('@create-api/core/internal')
  const record = recordEnvironment()
  let failure
  try {
    await import(app)
  } catch (error) {
    if (error?.name !== 'ConfigError') failure = String(error?.message ?? error)
  }
  finish({ variables: record(), failure })
`

export async function readEnvironment(
  project: Project,
  env: Readonly<Record<string, string | undefined>>,
): Promise<ProjectEnvironment> {
  const file = parseEnv(readText(join(project.root, '.env')) ?? '')
  const result = await runScript<Omit<ProjectEnvironment, 'unknown'>>(project, script, { env })
  const names = result.variables.map(({ name }) => name)
  return {
    failure: result.failure,
    unknown: Object.keys(file).filter((name) => !names.includes(name)),
    variables: result.variables.map((variable) => {
      const inFile = variable.source === 'environment' && env[variable.name] === undefined
      return inFile ? { ...variable, source: '.env' } : variable
    }),
  }
}
