import { join } from 'node:path'
import { parseEnv } from 'node:util'
import { readText } from '../files/plan.ts'
import { runScript } from '../inspect/run-script.ts'
import { type Project } from '../project/open-project.ts'

/** One variable as the service sees it. */
export interface EnvironmentVariable {
  readonly name: string
  readonly meaning: string
  /** What holds; absent without a value, and when it is secret. */
  readonly value?: string | undefined
  readonly default?: string | undefined
  /** Where the value comes from; `option` is the code of the service, which wins. */
  readonly source: 'option' | 'environment' | '.env' | 'default' | 'unset'
  /** The option that says the same in code; absent for a variable of the project's own. */
  readonly option?: string | undefined
  readonly isSecret: boolean
  readonly example: string
  /** Why the value cannot be used. */
  readonly problem?: string | undefined
}

/** The environment of a project. */
export interface ProjectEnvironment {
  readonly variables: readonly EnvironmentVariable[]
  /** Names in `.env` that nothing reads. */
  readonly unknown: readonly string[]
  /** Why the application could not be imported, when it was not for its variables. */
  readonly failure?: string | undefined
}

// A refused configuration is told variable by variable; the rest of the application is not needed.
const script = `
  let failure
  try {
    await import(app)
  } catch (error) {
    if (error?.name !== 'ConfigError') failure = String(error?.message ?? error)
  }
  const { describeEnvironment } = await import('@create-api/core')
  answer({ variables: describeEnvironment(), failure })
`

/**
 * Asks the service which variables it reads, and finds out where their values come from.
 *
 * @param project the project
 * @param env environment of this process
 * @returns the variables, those of the framework first
 * @throws CliError `PROBLEMS_FOUND` when the framework cannot be imported
 */
export async function readEnvironment(
  project: Project,
  env: Readonly<Record<string, string | undefined>>,
): Promise<ProjectEnvironment> {
  const file = parseEnv(readText(join(project.root, '.env')) ?? '')
  const answer = await runScript<Omit<ProjectEnvironment, 'unknown'>>(project, script, { env })
  const names = answer.variables.map(({ name }) => name)
  return {
    failure: answer.failure,
    unknown: Object.keys(file).filter((name) => !names.includes(name)),
    variables: answer.variables.map((variable) => {
      const inFile = variable.source === 'environment' && env[variable.name] === undefined
      return inFile ? { ...variable, source: '.env' } : variable
    }),
  }
}
