import { CliError } from '../errors/cli-error.ts'
import { type Manifest, manifestFile } from './manifest.ts'

export function parseManifest(text: string | undefined, cli: string): Manifest {
  if (text === undefined) return { version: 1, cli, template: 'default', resources: {} }
  try {
    const manifest: Manifest = JSON.parse(text)
    const damage = findDamage(manifest)
    if (damage === undefined) return manifest
    throw invalidManifest(damage)
  } catch (error) {
    throw error instanceof CliError ? error : invalidManifest('it is not JSON', error)
  }
}

// The place at which a manifest differs from what was written.
function findDamage(manifest: unknown): string | undefined {
  if (!isObject(manifest)) return 'it is not an object'
  if (Number(manifest['version']) > 1) throw laterManifest()
  return listChecks(manifest).find(([, holds]) => !holds)?.[0]
}

type Check = readonly [path: string, holds: boolean]

function listChecks(manifest: Fields): readonly Check[] {
  const { cli, project, resources, template, version } = manifest
  return [
    ['version', version === 1],
    ['cli', isVersion(cli)],
    ['template', typeof template === 'string'],
    ['resources', isObject(resources)],
    ...toEntries(resources).flatMap(([plural, resource]) =>
      checkResource(`resources.${plural}`, resource),
    ),
    ...(project === undefined ? [] : checkProject(project)),
  ]
}

function checkResource(path: string, resource: unknown): readonly Check[] {
  if (!isObject(resource)) return [[path, false]]
  const { cli, fields, files, model, name, options } = resource
  return [
    [`${path}.name`, typeof name === 'string'],
    [`${path}.model`, typeof model === 'string' && /^[A-Z]\w*$/.test(model)],
    [`${path}.fields`, Array.isArray(fields) && fields.every((field) => typeof field === 'string')],
    [`${path}.options`, isObject(options)],
    ...checkTexts(`${path}.options`, options),
    [`${path}.cli`, isVersion(cli)],
    [`${path}.files`, isObject(files)],
    ...toEntries(files).flatMap(([file, hashes]) => checkTexts(`${path}.files.${file}`, hashes)),
  ]
}

function checkProject(project: unknown): readonly Check[] {
  if (!isObject(project)) return [['project', false]]
  const { cli, client, files, name, pm } = project
  return [
    ['project.name', typeof name === 'string'],
    ['project.pm', typeof pm === 'string'],
    ['project.cli', isVersion(cli)],
    ['project.client', client === undefined || client === true],
    ['project.files', isObject(files)],
    ...checkTexts('project.files', files),
  ]
}

function checkTexts(path: string, value: unknown): readonly Check[] {
  return isObject(value)
    ? toEntries(value).map(([key, text]) => [`${path}.${key}`, typeof text === 'string'])
    : [[path, false]]
}

type Fields = Readonly<Record<string, unknown>>

function isObject(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function toEntries(value: unknown): readonly (readonly [string, unknown])[] {
  return isObject(value) ? Object.entries(value) : []
}

function isVersion(value: unknown): boolean {
  return typeof value === 'string' && /^\d+\.\d+\.\d+(-[\w.-]+)?$/.test(value)
}

function laterManifest(): CliError {
  return new CliError('INVALID_CONFIG', `a later version of create-api wrote ${manifestFile}`, {
    hint: 'use that version: npm install --save-dev create-api@latest',
    files: [manifestFile],
  })
}

function invalidManifest(damage: string, cause?: unknown): CliError {
  return new CliError('INVALID_CONFIG', `${manifestFile} is damaged: ${damage}`, {
    hint: 'restore it from version control, or delete it; generated files are then no longer recognised',
    files: [manifestFile],
    cause,
  })
}
