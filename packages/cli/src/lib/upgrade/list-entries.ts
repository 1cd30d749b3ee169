import { join } from 'node:path'
import { readText } from '../files/plan.ts'
import { type Manifest, type ProjectRecord, type ResourceRecord } from '../project/manifest.ts'
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
  const upgraded = Object.fromEntries(resources.map(({ plural, record }) => [plural, record]))
  const ofResources = {
    entries: resources.flatMap(({ entries }) => entries),
    manifest: { ...manifest, resources: upgraded },
  }
  if (only === 'resources') return withTexts(ofResources.entries, ofResources.manifest)
  const { entries, record } = await listProject(project, texts)
  const mounts = resources.map(({ mount }) => mount)
  const written = withTexts([...entries, ...(only === 'project' ? [] : ofResources.entries)], {
    ...(only === 'project' ? manifest : ofResources.manifest),
    project: record,
  })
  const registry = readText(join(project.root, project.config.registry)) ?? ''
  const mounted = await Promise.all(
    written.entries.map(async (entry) =>
      entry.theirs?.path === registryTemplate ? mountAll(entry, mounts, registry) : entry,
    ),
  )
  return { ...written, entries: mounted }
}

function withTexts(entries: readonly Entry[], manifest: Manifest): Listing {
  return { entries, manifest, written: entries.flatMap(({ theirs }) => theirs?.text ?? []) }
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
  readonly record: ProjectRecord
}

async function listProject(project: Project, texts: BaseTexts): Promise<ProjectEntries> {
  const recorded = project.manifest.project?.files
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

// A file that the templates have renamed is one that is similar.
function pair(bases: readonly BaseFile[], theirs: readonly TextFile[]): readonly Entry[] {
  const gone = bases.filter(({ path }) => !theirs.some((file) => file.path === path))
  const appeared = theirs.filter(({ path }) => !bases.some((base) => base.path === path))
  const moved = pairMoved(
    gone.map(({ path, text = '' }) => ({ path, text })),
    appeared,
  )
  const ofBases = bases.map((base): Entry => {
    const path = moved.get(base.path) ?? base.path
    return { base, theirs: theirs.find((file) => file.path === path) }
  })
  const paired = new Set(ofBases.map(({ theirs: file }) => file))
  const added = theirs.filter((file) => !paired.has(file))
  return [...ofBases, ...added.map((file) => ({ theirs: file }))]
}

const registryTemplate = 'src/routes.ts'

// The generator mounts resources after it has written the template.
async function mountAll(
  { base, theirs }: Entry,
  mounts: readonly Mount[],
  registry: string,
): Promise<Entry> {
  return {
    base: base && {
      ...base,
      text: base.text && (await addMountsAs(registry, base.text, mounts)),
    },
    theirs: theirs && { ...theirs, text: await addMountsAs(registry, theirs.text, mounts) },
  }
}
