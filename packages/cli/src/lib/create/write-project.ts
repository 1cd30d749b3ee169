import { relative, sep } from 'node:path'
import { CliError } from '../errors/cli-error.ts'
import { applyChanges } from '../files/apply.ts'
import { type Change, type WantedFile } from '../files/change.ts'
import { withLock } from '../files/lock.ts'
import { planChanges } from '../files/plan.ts'
import { settleConflicts } from '../files/settle-conflicts.ts'
import { configFile, parseConfig } from '../project/config.ts'
import { withBaseTexts } from '../project/base-texts.ts'
import { manifestFile, parseManifest } from '../project/manifest.ts'
import { type Project } from '../project/open-project.ts'
import { planResource, type ResourcePlan } from '../resource/plan-resource.ts'
import { version } from '../package/own-package.ts'
import { allowBuilds } from './allow-builds.ts'
import { findCheckout, readTarballs } from './checkout.ts'
import { keepSecretsOut } from './keep-secrets-out.ts'
import { renderProject } from './project-files.ts'
import { type ProjectPlan } from './project-plan.ts'
import { toPlace } from './surroundings.ts'
import { requireEmptyTarget, requireFolderPlace } from './target.ts'

export interface Scaffold {
  readonly changes: readonly Change[]
  readonly resources: readonly ResourcePlan[]
}

// Writes a project and its first resources: all files or none.
export async function writeProject(plan: ProjectPlan): Promise<Scaffold> {
  const { dir, dryRun, force, target } = plan
  requireFolderPlace(target)
  if (dryRun) {
    if (!force) requireEmptyTarget(target, dir)
    return planScaffold(plan)
  }
  return withLock(target, async () => {
    if (!force) requireEmptyTarget(target, dir)
    const scaffold = await planScaffold(plan)
    // An existing README or LICENSE stays, as does every file under --force.
    const changes = await settleConflicts(scaffold.changes, { skipExisting: true })
    applyChanges(target, changes)
    return { ...scaffold, changes }
  })
}

async function planScaffold(plan: ProjectPlan): Promise<Scaffold> {
  const { client, manager, name, published, surroundings, target, template = 'default' } = plan
  const checkout = published ? undefined : findCheckout()
  const packed = checkout === undefined ? [] : readTarballs(checkout)
  const files = await renderProject({
    name,
    template,
    manager,
    client,
    packed,
    place: toPlace(target, surroundings),
  })
  const resources: ResourcePlan[] = []
  const virtual = new Map(files.map((file) => [file.path, file]))
  for (const spec of plan.resource) {
    const resource = await planFirstResource(target, virtual, spec)
    for (const file of resource.files) virtual.set(file.path, toCreation(file))
    resources.push(resource)
  }
  // Includes the texts that a resource has edited since.
  const texts = files.flatMap((file) =>
    file.kind === 'write' && file.encoding === undefined ? [file.text] : [],
  )
  const wanted = withBaseTexts(target, keepSecretsOut(target, [...virtual.values()]), texts)
  const changes = [...planChanges(target, wanted), ...planWorkspace(plan)]
  return { changes, resources }
}

// The settings of a workspace apply to its members.
function planWorkspace({ manager, surroundings, target }: ProjectPlan): readonly Change[] {
  const { workspace } = surroundings
  if (workspace === undefined || manager.name !== 'pnpm') return []
  return planChanges(workspace, allowBuilds(workspace)).map((change) => ({
    ...change,
    path: relative(target, change.target).split(sep).join('/'),
  }))
}

async function planFirstResource(
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

// Splits at spaces, as a shell does; quotes keep spaces together: `posts "note:string:default=to do"`.
function splitArguments(text: string): readonly string[] {
  const unquoted = text.replaceAll(/"[^"]*"|'[^']*'/g, '')
  const unclosed = /["']/.exec(unquoted)?.[0]
  if (unclosed !== undefined) throw new CliError('USAGE', `--resource has an unclosed ${unclosed}`)
  const words = text.match(/(?:[^\s"']|"[^"]*"|'[^']*')+/g) ?? []
  return words.map((word) => word.replaceAll(/"([^"]*)"|'([^']*)'/g, '$1$2'))
}

// In a new project an edit of one of its files is part of its creation.
function toCreation(file: WantedFile): WantedFile {
  return file.kind === 'edit' ? { kind: 'write', path: file.path, text: file.text } : file
}
