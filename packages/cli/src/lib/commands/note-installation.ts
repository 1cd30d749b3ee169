import { toInstallCommand } from '../create/install-command.ts'
import { type Project } from '../project/open-project.ts'
import { type CommandContext } from '../terminal/command-context.ts'
import { type Note } from '../terminal/reporter.ts'

// The command that installs what a project lacks; a package can have a version: `jose@6`.
export function noteInstallation(
  { dependencies, root }: Project,
  { cwd }: CommandContext,
  packages: readonly string[],
): readonly Note[] {
  const missing = packages.filter(
    (one) => !Object.hasOwn(dependencies, one.replace(/(?<=.)@.*/, '')),
  )
  if (missing.length === 0) return []
  return [{ kind: 'next', message: toInstallCommand(missing, { cwd, folder: root }) }]
}
