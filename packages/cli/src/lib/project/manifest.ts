import { createHash } from 'node:crypto'
import { CliError } from '../errors.ts'
import { printJson } from './print-json.ts'

/** Where the manifest is, relative to the project. */
export const manifestFile = '.api/manifest.json'

/** Hashes of one generated file. */
export interface FileHashes {
  /** Of the text the templates gave. */
  readonly rendered: string
  /** Of the file as it was written, after formatting. */
  readonly written: string
}

/** What a resource was generated from. */
export interface ResourceRecord {
  /** The name as typed. */
  readonly name: string
  /** Name of its model. */
  readonly model: string
  /** Field arguments as typed. */
  readonly fields: readonly string[]
  /** Options that differ from the defaults, by their long name. */
  readonly options: Readonly<Record<string, string>>
  /** Version of the command line that wrote it. */
  readonly cli: string
  /** Path to hashes. */
  readonly files: Readonly<Record<string, FileHashes>>
}

/** The generator's memory of a project: inputs and hashes. */
export interface Manifest {
  readonly version: 1
  /** Version of the command line that made the project. */
  readonly cli: string
  /** Template the project was made from. */
  readonly template: string
  /** Resources by their plural name. */
  readonly resources: Readonly<Record<string, ResourceRecord>>
}

/**
 * Reads a manifest.
 *
 * @param text content of the file, or `undefined` when there is none
 * @param cli version to note when there is none
 * @returns the manifest; an empty one when the file is missing
 * @throws CliError `INVALID_CONFIG` when the file is not a manifest
 */
export function parseManifest(text: string | undefined, cli: string): Manifest {
  if (text === undefined) return { version: 1, cli, template: 'default', resources: {} }
  try {
    const manifest: Manifest = JSON.parse(text)
    if (manifest.version === 1 && typeof manifest.resources === 'object') return manifest
  } catch (error) {
    throw invalidManifest(error)
  }
  throw invalidManifest(undefined)
}

/**
 * Writes a manifest, its resources in the order of their names.
 *
 * @param manifest the manifest
 * @returns the text of the file
 */
export function printManifest(manifest: Manifest): string {
  const resources = Object.entries(manifest.resources).toSorted(([a], [b]) => (a < b ? -1 : 1))
  return printJson({ ...manifest, resources: Object.fromEntries(resources) })
}

/**
 * Hashes a text so that a change of line ends is no change.
 *
 * @param text content of a file
 * @returns 32 hex digits
 */
export function hashText(text: string): string {
  return createHash('sha256').update(text.replaceAll('\r\n', '\n')).digest('hex').slice(0, 32)
}

function invalidManifest(cause: unknown): CliError {
  return new CliError('INVALID_CONFIG', `${manifestFile} is damaged`, {
    hint: 'restore it from version control, or delete it: generate then works without its memory',
    files: [manifestFile],
    cause,
  })
}
