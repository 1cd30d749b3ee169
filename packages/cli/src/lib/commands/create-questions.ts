import { askText, askYesNo } from '../terminal/prompts.ts'
import { type CreateProjectOptions } from './create-project.ts'

/**
 * Asks for what was not said: at most folder, installation and repository. Any flag means the user
 * knows what they want, so only a missing folder is asked for.
 *
 * @param options what was said
 * @returns the options with the answers
 * @throws CliError `CANCELLED`
 */
export async function askQuestions(options: CreateProjectOptions): Promise<CreateProjectOptions> {
  const dir = options.dir ?? (await askText('Where should the project go?', 'my-service'))
  if (hasFlags(options)) return { ...options, dir }
  const install = await askYesNo('Install dependencies?')
  const git = await askYesNo('Make a git repository with a first commit?')
  return { ...options, dir, install, git }
}

function hasFlags(options: CreateProjectOptions): boolean {
  const { dryRun, force, git, install, name, pm, resource, start } = options
  const given = [dryRun, force, name, pm, start].some((flag) => flag !== undefined)
  return given || git === false || install === false || (resource ?? []).length > 0
}
