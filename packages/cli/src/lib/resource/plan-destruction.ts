import { join } from 'node:path'
import { type WantedFile } from '../files/change.ts'
import { readText } from '../files/plan.ts'
import { hashText } from '../files/hash-text.ts'
import { editManifest, manifestFile, type ResourceRecord } from '../project/manifest.ts'
import { type Project } from '../project/open-project.ts'
import { findByFiles, requireRecord } from './find-record.ts'
import { forgetInflection } from './inflections.ts'
import { planUnmount } from './plan-mount.ts'
import { toRouterSpecifier } from './render-resource.ts'

export interface DestroyPlan {
  readonly plural: string
  readonly model: string
  readonly files: readonly WantedFile[]
  /** False for a resource that was found by its files only; all of them may be edited. */
  readonly recorded: boolean
  /** Files that are no longer what was written. */
  readonly edited: readonly string[]
  /** Other resources that refer to its model. */
  readonly referredBy: readonly string[]
}

// Reads the project, writes nothing.
export async function planDestruction(project: Project, typed: string): Promise<DestroyPlan> {
  const { manifest, root } = project
  const byFiles = findByFiles(project, typed)
  const { names, record } = byFiles ?? requireRecord(project, typed)
  const { plural, router } = names
  const paths = Object.keys(record.files)
  const edited = paths.filter((path) => {
    const text = readText(join(root, path))
    return text !== undefined && hashText(text) !== record.files[path]?.written
  })
  const { [plural]: _removed, ...others } = manifest.resources
  return {
    plural,
    model: record.model,
    recorded: byFiles === undefined,
    edited,
    referredBy: Object.values(others)
      .filter((other) => other.options['under'] === plural || refersTo(record.model)(other))
      .map(({ name }) => name),
    files: [
      ...paths.map((path) => ({ kind: 'delete' as const, path })),
      await planUnmount(project, {
        router,
        specifier: toRouterSpecifier(project, plural),
        path: '',
      }),
      ...forgetInflection(project, record.options['inflection']),
      ...(byFiles === undefined
        ? [editManifest(readText(join(root, manifestFile)), { ...manifest, resources: others })]
        : []),
    ],
  }
}

function refersTo(model: string): (record: ResourceRecord) => boolean {
  const pattern = new RegExp(`(^|:)(ref|references|belongs_to)[:(]${model}\\b`, 'i')
  return (record) => record.fields.some((field) => pattern.test(field))
}
