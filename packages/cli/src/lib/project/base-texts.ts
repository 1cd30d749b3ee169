import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync, gzipSync } from 'node:zlib'
import { type WantedFile } from '../files/change.ts'
import { hashText } from '../files/hash-text.ts'
import { type Manifest, manifestFile, parseManifest } from './manifest.ts'

// The texts that the generator wrote, by path, from which upgrades merge. Each resource has its own file,
// so that branches which add resources do not conflict.
export const projectBaseFile = '.api/base.json.gz'
const resourcesFolder = '.api/base'

type Texts = Readonly<Record<string, string>>

// All texts that are kept, of the project and of its resources, by their hashes.
export function readBaseTexts(root: string): ReadonlyMap<string, string> {
  const texts = listBaseFiles(root).flatMap((path) => Object.values(readTexts(root, path)))
  return new Map(texts.map((text) => [hashText(text), text]))
}

// Adds the files with the base texts of the new manifest, which is among the files. The texts are
// those of the files, the given others and those that are kept.
export function withBaseTexts(
  root: string,
  files: readonly WantedFile[],
  others: readonly string[] = [],
): readonly WantedFile[] {
  const manifest = files.find(({ path }) => path === manifestFile)
  if (manifest === undefined || manifest.kind === 'delete') return files
  if (manifest.kind === 'edit' && manifest.before === manifest.text) return files
  const written = files.flatMap((file) => (file.kind === 'delete' ? [] : [file.text]))
  const known = new Map(readBaseTexts(root))
  for (const text of [...written, ...others]) known.set(hashText(text), text)
  const wanted = listHashes(parseManifest(manifest.text, ''))
  const kept = [...wanted].flatMap(([path, hashes]) => toFile(root, path, pick(known, hashes)))
  const unneeded = listBaseFiles(root).filter((path) => !wanted.has(path))
  // Before the manifest, which a killed run then writes again.
  return files.flatMap((file) =>
    file === manifest ? [...kept, ...unneeded.map(toRemoval), manifest] : [file],
  )
}

// Hashes of the texts in each file, by their paths.
function listHashes({ project, resources }: Manifest): ReadonlyMap<string, Texts> {
  const ofResources = Object.entries(resources).map(([plural, { files }]) => {
    const hashes = Object.entries(files).map(([path, { written }]) => [path, written])
    return [`${resourcesFolder}/${plural}.json.gz`, Object.fromEntries(hashes)] as const
  })
  return new Map([
    ...(project === undefined ? [] : [[projectBaseFile, project.files] as const]),
    ...ofResources,
  ])
}

function pick(known: ReadonlyMap<string, string>, hashes: Texts): Texts {
  const texts = Object.entries(hashes).flatMap(([path, hash]) => {
    const text = known.get(hash)
    return text === undefined ? [] : [[path, text.replaceAll('\r\n', '\n')] as const]
  })
  return Object.fromEntries(texts.toSorted(([a], [b]) => (a < b ? -1 : 1)))
}

// No file where the present one has these texts already: compression may differ between machines.
function toFile(root: string, path: string, texts: Texts): readonly WantedFile[] {
  const json = JSON.stringify(texts)
  if (json === '{}' || json === JSON.stringify(readTexts(root, path))) return []
  return [
    {
      kind: 'edit',
      path,
      before: existsSync(join(root, path)) ? readFileSync(join(root, path), 'latin1') : undefined,
      text: gzipSync(json, { level: 9 }).toString('latin1'),
      encoding: 'latin1',
      quiet: true,
    },
  ]
}

function toRemoval(path: string): WantedFile {
  return { kind: 'delete', path, quiet: true }
}

function readTexts(root: string, path: string): Texts {
  try {
    const texts: Texts = JSON.parse(gunzipSync(readFileSync(join(root, path))).toString('utf8'))
    return texts
  } catch {
    // Missing or damaged.
    return {}
  }
}

export function listBaseFiles(root: string): readonly string[] {
  const folder = join(root, resourcesFolder)
  const names = existsSync(folder) ? readdirSync(folder) : []
  return [
    ...(existsSync(join(root, projectBaseFile)) ? [projectBaseFile] : []),
    ...names
      .filter((name) => name.endsWith('.json.gz'))
      .map((name) => `${resourcesFolder}/${name}`),
  ]
}
