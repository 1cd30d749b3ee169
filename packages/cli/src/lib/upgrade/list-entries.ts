import { join, posix } from 'node:path'
import { readText } from '../files/plan.ts'
import { type Manifest, type ProjectRecord, type ResourceRecord } from '../project/manifest.ts'
import { isAdopted } from '../project/adoption-file.ts'
import { type Project } from '../project/open-project.ts'
import { type Mount } from '../registry/edit-registry.ts'
import { type BaseTexts } from './find-base-texts.ts'
import { pairMoved, type TextFile } from './pair-moved.ts'
import { addMountsAs } from './add-mounts-as.ts'
import { isPart, renderCurrentProject, renderCurrentResource } from './render-current.ts'

// One generated file: as it was written, and as this version writes it.
export interface Entry {
  readonly base?: BaseFile | undefined
  readonly theirs?: TextFile | undefined
}

export interface BaseFile {
  readonly path: string
  /** Of the text as it was written, where it was recorded. */
  readonly hash?: string | undefined
  /** Undefined where it was not found. */
  readonly text: string | undefined
}

export interface Listing {
  readonly entries: readonly Entry[]
  /** As it is after the upgrade. */
  readonly manifest: Manifest
  /** Generated files that this upgrade leaves. */
  readonly left: readonly string[]
  /** The texts that the next upgrade begins with. */
  readonly written: readonly string[]
}

export type Scope = 'project' | 'resources'

export async function listEntries(
  project: Project,
  texts: BaseTexts,
  only: Scope | undefined,
): Promise<Listing> {
  const { manifest } = project
  const resources = await listResources(project, texts)
  const ofProject = await listProject(project, texts)
  const ofResources = resources.flatMap(({ entries }) => entries)
  const [chosen, left] = choose(only, ofProject.entries, ofResources)
  const upgraded = Object.fromEntries(resources.map(({ plural, record }) => [plural, record]))
  const mounts = resources.map(({ mount }) => mount)
  return {
    entries: await mountResources(project, chosen, mounts),
    manifest: {
      ...manifest,
      ...(only !== 'resources' && { project: ofProject.record }),
      ...(only !== 'project' && { resources: upgraded }),
    },
    left: left.flatMap(({ base, theirs }) => [base?.path ?? '', theirs?.path ?? '']),
    written: chosen.flatMap(({ theirs }) => theirs?.text ?? []),
  }
}

function choose(
  only: Scope | undefined,
  ofProject: readonly Entry[],
  ofResources: readonly Entry[],
): readonly [chosen: readonly Entry[], left: readonly Entry[]] {
  if (only === undefined) return [[...ofProject, ...ofResources], []]
  return only === 'project' ? [ofProject, ofResources] : [ofResources, ofProject]
}

interface ResourceEntries {
  readonly plural: string
  readonly entries: readonly Entry[]
  readonly record: ResourceRecord
  readonly mount: Mount
}

function listResources(project: Project, texts: BaseTexts): Promise<readonly ResourceEntries[]> {
  const resources = Object.entries(project.manifest.resources)
  return Promise.all(
    resources.map(async ([plural, recorded]) => {
      const { files, mount, record } = await renderCurrentResource(project, plural, recorded)
      const bases = Object.entries(recorded.files)
        .filter(([path]) => isPart(path, plural))
        .map(([path, { written }]) => ({ path, hash: written, text: texts.find(path, written) }))
      return { plural, entries: pair(bases, files), record, mount }
    }),
  )
}

interface ProjectEntries {
  readonly entries: readonly Entry[]
  readonly record: ProjectRecord | undefined
}

async function listProject(project: Project, texts: BaseTexts): Promise<ProjectEntries> {
  const recorded = project.manifest.project?.files
  // There, only resources are generated again.
  if (isAdopted(project.root) || project.config.language === 'javascript') {
    return { entries: [], record: undefined }
  }
  const { files, record } = await renderCurrentProject(
    project,
    (path) => texts.find(path, recorded?.[path]) ?? readText(join(project.root, path)),
  )
  // Without a record, only what is generated now is known to have been generated.
  const bases =
    recorded === undefined
      ? files.map(({ path }) => ({ path, text: texts.find(path) }))
      : Object.entries(recorded).map(([path, hash]) => ({
          path,
          hash,
          text: texts.find(path, hash),
        }))
  const known = bases.filter(({ text }) => recorded !== undefined || text !== undefined)
  return { entries: pair(known, files), record }
}

// A file that is generated elsewhere now is one of the same name, or else one that is similar.
function pair(bases: readonly BaseFile[], theirs: readonly TextFile[]): readonly Entry[] {
  const gone = bases.filter(({ path }) => !theirs.some((file) => file.path === path))
  const appeared = theirs.filter(({ path }) => !bases.some((base) => base.path === path))
  const named = pairNames(gone, appeared)
  const targets = new Set(named.values())
  const similar = pairMoved(
    gone.filter(({ path }) => !named.has(path)).map(({ path, text = '' }) => ({ path, text })),
    appeared.filter(({ path }) => !targets.has(path)),
  )
  const moved = new Map([...named, ...similar])
  const ofBases = bases.map((base): Entry => {
    const path = moved.get(base.path) ?? base.path
    return { base, theirs: theirs.find((file) => file.path === path) }
  })
  const paired = new Set(ofBases.map(({ theirs: file }) => file))
  const added = theirs.filter((file) => !paired.has(file))
  return [...ofBases, ...added.map((file) => ({ theirs: file }))]
}

function pairNames(
  gone: readonly BaseFile[],
  appeared: readonly TextFile[],
): ReadonlyMap<string, string> {
  const pairs = gone.flatMap(({ path }) => {
    const [only, ...others] = appeared.filter(
      (file) => posix.basename(file.path) === posix.basename(path),
    )
    return only === undefined || others.length > 0 ? [] : [[path, only.path] as const]
  })
  return new Map(pairs.filter(([, to]) => pairs.filter(([, other]) => other === to).length === 1))
}

const registryTemplate = 'src/routes.ts'

// The generator mounts resources after it has written the template.
function mountResources(
  { config, root }: Project,
  entries: readonly Entry[],
  mounts: readonly Mount[],
): Promise<readonly Entry[]> {
  const registry = readText(join(root, config.registry)) ?? ''
  const mount = async (text: string): Promise<string> => addMountsAs(registry, text, mounts)
  return Promise.all(
    entries.map(async ({ base, theirs }): Promise<Entry> => {
      if (theirs?.path !== registryTemplate) return { base, theirs }
      return {
        base: base && { ...base, text: base.text && (await mount(base.text)) },
        theirs: { ...theirs, text: await mount(theirs.text) },
      }
    }),
  )
}
