import { type Project } from '../project/open-project.ts'
import { runScript, type ScriptOptions } from './run-script.ts'

/**
 * Imports the application in a process of its own, without starting it, and works with it.
 *
 * @param project the project
 * @param work text of a function `(api, input) => answer`; input and answer travel as JSON
 * @param options environment and input
 * @returns the answer
 * @throws CliError `PROBLEMS_FOUND` when the application cannot be imported, with what it printed
 */
export async function runInApp<Answer>(
  project: Project,
  work: string,
  options: ScriptOptions,
): Promise<Answer> {
  const script = `
    const { api } = await import(app)
    answer(await (${work})(api, input))
  `
  return runScript<Answer>(project, script, options)
}
