import { join } from 'node:path'
import { CliError } from '../errors/cli-error.ts'
import { type WantedFile } from '../files/change.ts'
import { readText } from '../files/plan.ts'
import { type Project } from '../project/open-project.ts'
import {
  addMount,
  describeEdit,
  formatRegistryLines,
  type Mount,
  removeMount,
} from '../registry/edit-registry.ts'
import { missingRegistry, RegistryProblem } from '../registry/read-registry.ts'
import { type ReadFile } from './format-rendered.ts'
import { findForeignFormatter } from './project-formatter.ts'

interface MountContext {
  readonly read?: ReadFile | undefined
  /** False for `--no-format`: the project's formatter is not run. */
  readonly format?: boolean | undefined
}

// The edit of the registry that mounts a router.
export async function planMount(
  project: Project,
  mount: Mount,
  { format = true, read = (path) => readText(join(project.root, path)) }: MountContext = {},
): Promise<WantedFile> {
  const path = project.config.registry
  const before = read(path)
  if (before === undefined) throw unusable(path, missingRegistry, mount)
  try {
    const edit = await addMount(before, mount)
    const formatter = format ? findForeignFormatter(project) : undefined
    const changed = edit.source !== before
    const formatted = changed ? await formatter?.(path, edit.source) : undefined
    const text = formatted ?? edit.source
    return { kind: 'edit', path, before, text, detail: describeEdit(edit, '+') }
  } catch (error) {
    if (!(error instanceof RegistryProblem)) throw error
    throw unusable(path, error, mount)
  }
}

// The edit of the registry that unmounts it.
export async function planUnmount(project: Project, mount: Mount): Promise<WantedFile> {
  const path = project.config.registry
  const before = readText(join(project.root, path))
  try {
    if (before === undefined) throw missingRegistry
    const edit = await removeMount(before, mount)
    return { kind: 'edit', path, before, text: edit.source, detail: describeEdit(edit, '−') }
  } catch (error) {
    if (!(error instanceof RegistryProblem)) throw error
    throw new CliError('REGISTRY_UNUSABLE', `${path} ${error.message}; nothing was deleted`, {
      hint: error.fix,
      files: [path],
    })
  }
}

function unusable(path: string, problem: RegistryProblem, mount: Mount): CliError {
  const lines = formatRegistryLines(mount)
  return new CliError('REGISTRY_UNUSABLE', `${path} ${problem.message}; nothing was written`, {
    details: ['  add these two lines yourself:', ...lines.map((line) => `    ${line}`)],
    hint: `or ${problem.fix}`,
    files: [path],
  })
}
