import { CliError } from '../errors.ts'
import { applyChanges } from '../files/apply.ts'
import { type Change, type WantedFile } from '../files/change.ts'
import { withLock } from '../files/lock.ts'
import { planChanges } from '../files/plan.ts'
import { settleConflicts } from '../files/settle-conflicts.ts'
import { configFile, parseConfig } from '../project/config.ts'
import { manifestFile, parseManifest } from '../project/manifest.ts'
import { type Project } from '../project/open-project.ts'
import { planResource, type ResourcePlan } from '../resource/plan-resource.ts'
import { version } from '../version.ts'
import { findCheckout, packCheckout } from './checkout.ts'
import { type PackageManager } from './package-manager.ts'
import { renderProject } from './project-files.ts'
import { type ProjectTemplate } from './project-template.ts'
import { splitArguments } from './split-arguments.ts'
import { requireEmptyTarget, requireFolderPlace } from './target.ts'

/** What {@link writeProject} needs to know. */
export interface ScaffoldOptions {
  /** The folder as the user knows it. */
  readonly dir: string
  readonly target: string
  readonly name: string
  /**
   * What it begins with.
   * @default 'default'
   */
  readonly template?: ProjectTemplate | undefined
  readonly manager: PackageManager
  /** Root of the workspace around it. */
  readonly workspace?: string | undefined
  /** Resources, each as one text: `posts title:string`. */
  readonly resource: readonly string[]
  readonly force?: boolean | undefined
  readonly dryRun?: boolean | undefined
  readonly published?: boolean | undefined
}

/** What was written. */
export interface Scaffold {
  readonly changes: readonly Change[]
  readonly resources: readonly ResourcePlan[]
}

/**
 * Writes a project and its first resources: all files or none.
 *
 * @param options what to write
 * @returns what was written, or would be for a dry run
 * @throws CliError when the folder is not empty, or a name or field cannot be used
 */
export async function writeProject(options: ScaffoldOptions): Promise<Scaffold> {
  const { dir, dryRun, force, target } = options
  requireFolderPlace(target)
  if (dryRun) {
    if (!force) requireEmptyTarget(target, dir)
    return planProject(options)
  }
  return withLock(target, async () => {
    if (!force) requireEmptyTarget(target, dir)
    const scaffold = await planProject(options)
    // A README or LICENSE that was there first stays, as does everything under --force.
    const changes = await settleConflicts(scaffold.changes, { skipExisting: true })
    applyChanges(target, changes)
    return { ...scaffold, changes }
  })
}

async function planProject(options: ScaffoldOptions): Promise<Scaffold> {
  const checkout = options.published ? undefined : findCheckout()
  const packed = checkout === undefined ? [] : packCheckout(checkout)
  const { manager, name, target, template = 'default', workspace } = options
  const files = await renderProject({ name, template, manager, packed, workspace })
  const resources: ResourcePlan[] = []
  const virtual = new Map(files.map((file) => [file.path, file]))
  for (const spec of options.resource) {
    const plan = await planOne(target, virtual, spec)
    for (const file of plan.files) virtual.set(file.path, toCreation(file))
    resources.push(plan)
  }
  return { changes: planChanges(target, [...virtual.values()]), resources }
}

async function planOne(
  root: string,
  virtual: ReadonlyMap<string, WantedFile>,
  spec: string,
): Promise<ResourcePlan> {
  const [name, ...fields] = splitArguments(spec)
  if (name === undefined) throw new CliError('USAGE', '--resource needs a name')
  const read = (path: string): string | undefined => {
    const file = virtual.get(path)
    return file === undefined || file.kind === 'delete' ? undefined : file.text
  }
  const project: Project = {
    root,
    config: parseConfig(read(configFile) ?? '{}'),
    manifest: parseManifest(read(manifestFile), version),
    // Nothing is installed yet, so there is no formatter to run.
    dependencies: {},
  }
  return planResource(project, { name, fields }, read)
}

// In a new project an edit of one of its files is part of its creation.
function toCreation(file: WantedFile): WantedFile {
  return file.kind === 'edit' ? { kind: 'write', path: file.path, text: file.text } : file
}
