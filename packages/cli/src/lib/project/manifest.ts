import { printJson } from './print-json.ts'

export const manifestFile = '.api/manifest.json'

export interface FileHashes {
  /** Hash of the rendered templates. */
  readonly rendered: string
  /** Hash of the file as it was written, after formatting. */
  readonly written: string
}

export interface ResourceRecord {
  /** The name as typed. */
  readonly name: string
  readonly model: string
  /** Field arguments as typed. */
  readonly fields: readonly string[]
  /** Options that differ from their defaults, by long name. */
  readonly options: Readonly<Record<string, string>>
  /** Version of create-api that wrote it. */
  readonly cli: string
  /** By path. */
  readonly files: Readonly<Record<string, FileHashes>>
}

export interface ProjectRecord {
  /** Name of the package. */
  readonly name: string
  readonly pm: string
  /** True inside a workspace, whose settings apply. */
  readonly workspace?: true | undefined
  /** True with a typed client of its API. */
  readonly client?: true | undefined
  /** Version of create-api that wrote its files, or upgraded them last. */
  readonly cli: string
  /** Hashes of its files as written, by path. */
  readonly files: Readonly<Record<string, string>>
}

export interface Manifest {
  readonly version: 1
  /** Version of create-api that created the project. */
  readonly cli: string
  readonly template: string
  /** Absent in projects that were created before bases of upgrades were kept. */
  readonly project?: ProjectRecord | undefined
  /** By plural name. */
  readonly resources: Readonly<Record<string, ResourceRecord>>
}

export function printManifest(manifest: Manifest): string {
  const resources = Object.entries(manifest.resources).toSorted(([a], [b]) => (a < b ? -1 : 1))
  return printJson({ ...manifest, resources: Object.fromEntries(resources) })
}
