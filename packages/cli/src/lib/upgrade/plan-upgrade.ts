import { lstatSync, realpathSync } from 'node:fs'
import { join, relative, sep } from 'node:path'
import { type WantedFile } from '../files/change.ts'
import { readText } from '../files/plan.ts'
import { withBaseTexts } from '../project/base-texts.ts'
import { editManifest, manifestFile } from '../project/manifest.ts'
import { type Project } from '../project/open-project.ts'
import { findBaseTexts } from './find-base-texts.ts'
import { type Entry, listEntries, type Scope } from './list-entries.ts'
import { type MergeOptions } from './merge-text.ts'
import { pairMoved } from './pair-moved.ts'
import { planRenamedImports } from './rename-imports.ts'
import { type Git, listLines } from './run-git.ts'
import { type PlacedEntry, type UpgradedFile, upgradeEntry } from './upgrade-entry.ts'

export interface UpgradeRequest {
  readonly only?: Scope | undefined
  /** A commit that holds the files as they were generated. */
  readonly base?: string | undefined
  readonly merge: MergeOptions
}

export interface UpgradePlan {
  readonly upgraded: readonly UpgradedFile[]
  readonly files: readonly WantedFile[]
  /** Files whose base text was not found. */
  readonly withoutBase: readonly string[]
}

// Reads the project, writes nothing.
export async function planUpgrade(
  project: Project,
  { base, merge, only }: UpgradeRequest,
): Promise<UpgradePlan> {
  const { root } = project
  const texts = await findBaseTexts(project, { git: merge.git, commit: base })
  const { entries, left, manifest, written } = await listEntries(project, texts, only)
  const present = await listPresent(merge.git)
  const placed = placeEntries(root, entries, present)
  const results = await Promise.all(placed.map((entry) => upgradeEntry(project, entry, merge)))
  const files = results.flatMap((result) => result.files)
  const imports = await planRenamedImports(
    root,
    present.filter((path) => !left.includes(path)),
    files,
  )
  const noted = editManifest(readText(join(root, manifestFile)), manifest)
  return {
    upgraded: [...results.map(({ upgraded }) => upgraded), ...imports.upgraded],
    // The manifest is the last one, so that a killed run is repeated.
    files: withBaseTexts(root, [...imports.files, noted], written),
    withoutBase: placed.flatMap((entry) =>
      entry.place !== undefined && entry.base?.text === undefined ? [entry.place] : [],
    ),
  }
}

// The files of the project, without those that git ignores.
async function listPresent(git: Git): Promise<readonly string[]> {
  const args = ['ls-files', '-z', '--cached', '--others', '--exclude-standard', '--', '.']
  return [...new Set(listLines(await git(args), '\0'))]
}

// Finds where the files are, those that the user has moved included.
function placeEntries(
  root: string,
  entries: readonly Entry[],
  present: readonly string[],
): readonly PlacedEntry[] {
  const generated = new Set(entries.flatMap(({ base, theirs }) => [base?.path, theirs?.path]))
  const gone = entries.flatMap(({ base }) =>
    base?.text === undefined || isFile(root, base.path)
      ? []
      : [{ path: base.path, text: base.text }],
  )
  const others = present.filter(
    (path) => gone.length > 0 && !generated.has(path) && isFile(root, path),
  )
  const moved = pairMoved(
    gone,
    others.map((path) => ({ path, text: readText(join(root, path)) ?? '' })),
  )
  const placed = entries.map((entry): PlacedEntry => {
    const { base, theirs } = entry
    const places = [base?.path, base && moved.get(base.path), theirs?.path]
    return { ...entry, place: places.find((path) => path !== undefined && isFile(root, path)) }
  })
  const taken = new Set(placed.map(({ place }) => place))
  return placed.map((entry) => {
    const link = entry.place && findLink(root, entry.place)
    return taken.has(link) ? { ...entry, link } : entry
  })
}

// The file of the project that a symbolic link leads to.
function findLink(root: string, path: string): string | undefined {
  if (!lstatSync(join(root, path)).isSymbolicLink()) return undefined
  try {
    const target = realpathSync(join(root, path))
    return relative(realpathSync(root), target).replaceAll(sep, '/')
  } catch {
    return undefined
  }
}

function isFile(root: string, path: string): boolean {
  return lstatSync(join(root, path), { throwIfNoEntry: false })?.isDirectory() === false
}
