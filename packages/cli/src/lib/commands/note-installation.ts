import { toInstallCommand } from '../create/install-command.ts'
import { type Project } from '../project/open-project.ts'
import { type CommandContext } from '../terminal/command-context.ts'
import { type Note } from '../terminal/reporter.ts'

// The commands that install what a project lacks.
export function noteInstallation(
  { dependencies, root }: Project,
  { cwd }: CommandContext,
  packages: readonly string[],
): readonly Note[] {
  const missing = packages.filter((name) => !Object.hasOwn(dependencies, name))
  return missing.map((name) => ({
    kind: 'next',
    message: toInstallCommand(name, { cwd, folder: root }),
  }))
}
