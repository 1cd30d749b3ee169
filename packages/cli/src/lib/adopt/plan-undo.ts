import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { isTarball } from '../create/checkout.ts'
import { CliError } from '../errors/cli-error.ts'
import { draftSuffix } from '../files/apply.ts'
import { type WantedFile } from '../files/change.ts'
import { hashText } from '../files/hash-text.ts'
import { readText } from '../files/plan.ts'
import { listBaseFiles } from '../project/base-texts.ts'
import { configFile } from '../project/config.ts'
import { manifestFile } from '../project/manifest.ts'
import { type Project, readProject } from '../project/open-project.ts'
import { removeMount } from '../registry/edit-registry.ts'
import { requireRecord } from '../resource/find-record.ts'
import { toRouterSpecifier } from '../resource/render-resource.ts'
import { mergeJson } from '../upgrade/merge-json.ts'
import { mergeText, type Versions } from '../upgrade/merge-text.ts'
import { type Git } from '../upgrade/run-git.ts'
import { type AdoptionRecord, parseRecord } from './adoption-record.ts'
import { adoptionFile } from '../project/adoption-file.ts'

export interface UndoPlan {
  readonly files: readonly WantedFile[]
  /** Files that the user has changed since, and that stay. */
  readonly kept: readonly string[]
}

interface Undone {
  readonly file?: WantedFile
  readonly kept?: string
}

// Reads the application, writes nothing.
export async function planUndo(root: string, git: Git): Promise<UndoPlan> {
  const text = readText(join(root, adoptionFile))
  if (text === undefined) {
    throw new CliError('NOT_ADOPTABLE', `there is no ${adoptionFile}: nothing was adopted here`, {
      hint: 'run this in the folder in which create-api adopt was run',
    })
  }
  const adoption = parseRecord(text)
  const undone = [
    ...(existsSync(join(root, configFile)) ? await undoResources(readProject(root), adoption) : []),
    ...Object.entries(adoption.created)
      .filter(([path]) => !Object.hasOwn(adoption.added, path))
      .map(([path, hash]) => removeUnchanged(root, path, hash)),
    ...Object.entries(adoption.added).map(([path, lines]) => removeLines(root, path, lines)),
  ]
  for (const [path, texts] of Object.entries(adoption.edited)) {
    undone.push(await revertEdit({ root, path, git }, texts))
  }
  const files = undone.flatMap(({ file }) => file ?? [])
  const written = Object.keys({ ...adoption.created, ...adoption.edited, ...adoption.added })
  const drafts = written.map((path) => path + draftSuffix)
  const bookkeeping = [...drafts, manifestFile, ...listBaseFiles(root), adoptionFile]
  return {
    // A registry that only has mounts of removed resources is removed by the first of its entries.
    files: [
      ...files.filter((file, index) => files.findIndex(({ path }) => path === file.path) === index),
      ...bookkeeping.map((path) => ({ kind: 'delete' as const, path, quiet: true })),
    ],
    kept: [...new Set(undone.flatMap(({ kept }) => kept ?? []))].filter(
      (path) => !files.some((file) => file.path === path && file.kind === 'delete'),
    ),
  }
}

// Generated files of resources, and their mounts.
async function undoResources(
  project: Project,
  { created }: AdoptionRecord,
): Promise<readonly Undone[]> {
  const { config, manifest, root } = project
  const resources = Object.entries(manifest.resources)
  const files = resources.flatMap(([, { files: written }]) =>
    Object.entries(written).map(([path, hashes]) => removeUnchanged(root, path, hashes.written)),
  )
  let registry = readText(join(root, config.registry))
  for (const [plural] of resources) {
    if (registry === undefined) break
    const { names } = requireRecord(project, plural)
    const mount = { router: names.router, specifier: toRouterSpecifier(project, plural), path: '' }
    registry = (await removeMount(registry, mount)).source
  }
  const isOurs = registry !== undefined && hashText(registry) === created[config.registry]
  return isOurs ? [...files, { file: { kind: 'delete', path: config.registry } }] : files
}

function removeUnchanged(root: string, path: string, hash: string): Undone {
  const text = readText(join(root, path), isTarball(path) ? 'latin1' : 'utf8')
  if (text === undefined) return {}
  return hashText(text) === hash ? { file: { kind: 'delete', path } } : { kept: path }
}

// A file that holds nothing else goes.
function removeLines(
  root: string,
  path: string,
  { lines: hashes, newline }: AdoptionRecord['added'][string],
): Undone {
  const before = readText(join(root, path))
  if (before === undefined) return {}
  const lines = before.split(/(?<=\n)/)
  const rest = lines.filter((line) => !hashes.includes(hashText(line.trimEnd())))
  if (rest.length === lines.length) return { kept: path }
  const wasLast = rest.length > 0 && rest.at(-1) !== lines.at(-1)
  const text = newline && wasLast ? rest.join('').replace(/\r?\n$/, '') : rest.join('')
  if (text === '') return { file: { kind: 'delete', path } }
  return { file: { kind: 'edit', path, before, text, detail: '−1 line' } }
}

interface EditedFile {
  readonly root: string
  readonly path: string
  readonly git: Git
}

async function revertEdit(
  { git, path, root }: EditedFile,
  { after, before }: { readonly before: string; readonly after: string },
): Promise<Undone> {
  const current = readText(join(root, path))
  if (current === undefined || current === before) return {}
  const toEdit = (text: string): Undone => ({
    file: { kind: 'edit', path, before: current, text, detail: 'as it was' },
  })
  if (current === after) return toEdit(before)
  const versions = { base: after, ours: current, theirs: before }
  const merged = await merge(path, versions, git)
  return merged === undefined
    ? { kept: path }
    : { file: { kind: 'edit', path, before: current, text: merged, detail: 'with your changes' } }
}

// What the user has changed since stays. Undefined where both changed the same lines.
async function merge(path: string, versions: Versions, git: Git): Promise<string | undefined> {
  const isWindows = versions.ours.includes('\r\n')
  const { base, ours, theirs } = versions
  const [first, second, third] = [base, ours, theirs].map((text) => text.replaceAll('\r\n', '\n'))
  const merged = await (path.endsWith('.json') ? mergeJson : mergeText)(
    { base: first ?? '', ours: second ?? '', theirs: third ?? '' },
    { git, labels: ['yours', 'adopted', 'before'] },
  )
  if (merged.conflicts > 0) return undefined
  return isWindows ? merged.text.replaceAll('\n', '\r\n') : merged.text
}
