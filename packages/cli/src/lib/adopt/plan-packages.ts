import { existsSync } from 'node:fs'
import { join, posix } from 'node:path'
import { type PackedPackage, toVendorFiles, toVendorPath } from '../create/checkout.ts'
import { templatesPackage, toOverrides, toVersionRange } from '../create/dependencies.ts'
import { type PackageManager } from '../create/package-manager.ts'
import { findSurroundings } from '../create/surroundings.ts'
import { CliError } from '../errors/cli-error.ts'
import { type WantedFile } from '../files/change.ts'
import { readText } from '../files/plan.ts'
import { type PackageJson } from '../project/package-json.ts'
import { printJson } from '../project/print-json.ts'
import { type Layout } from './choose-layout.ts'
import { type JsonValue, setValues } from './edit-json.ts'
import { planPnpmSettings } from './plan-pnpm-settings.ts'
import { type Host } from './read-host.ts'

interface PackagesPlan {
  readonly files: readonly WantedFile[]
  /** Names of the added packages. */
  readonly added: readonly string[]
}

const runtime = ['@create-api/core', 'express', 'mongoose', 'zod']
const tests = ['@create-api/embedded-mongo', 'supertest', 'vitest']

interface PackageOptions {
  readonly manager: PackageManager
  /** Packages of the application that the API imports as well. */
  readonly extra: readonly string[]
  /** Tarballs of packages that are not published; empty when they come from a registry. */
  readonly packed: readonly PackedPackage[]
}

export function planPackages(host: Host, layout: Layout, options: PackageOptions): PackagesPlan {
  return layout.isPackage
    ? planOwnPackage(host, layout, options)
    : planSharedPackages(host, layout, options)
}

// The API uses the packages of the application.
function planSharedPackages(
  host: Host,
  { folder }: Layout,
  { manager, packed }: PackageOptions,
): PackagesPlan {
  const { manifest } = host
  const has = { ...manifest.dependencies, ...manifest.devDependencies }
  const dependencies = runtime.filter((name) => !Object.hasOwn(manifest.dependencies ?? {}, name))
  const development = [...tests, ...listTools(packed)].filter((name) => !Object.hasOwn(has, name))
  const values = [
    ...toValues('dependencies', dependencies, packed),
    ...toValues('devDependencies', development, packed),
    ...toOverrideValues(packed, manager),
    ...toScript(manifest, `vitest run ${folder}`),
    ...excludeFromJest(host, folder),
  ]
  return {
    files: [
      editManifest(host, values),
      ...planPnpmSettings(host.root, { manager, overrides: toFiles(packed) }),
      ...toVendorFiles(packed),
    ],
    added: [...dependencies, ...development],
  }
}

function toScript({ scripts = {} }: PackageJson, command: string): readonly JsonValue[] {
  return Object.hasOwn(scripts, 'test:api')
    ? []
    : [{ path: ['scripts', 'test:api'], value: command }]
}

// Jest would run the tests of resources, which are those of Vitest.
function excludeFromJest({ manifest, root }: Host, folder: string): readonly JsonValue[] {
  const usesJest = Object.hasOwn({ ...manifest.dependencies, ...manifest.devDependencies }, 'jest')
  if (!usesJest || findJestFile(root) !== undefined) return []
  const { roots, testPathIgnorePatterns: ignored } = Object(Reflect.get(manifest, 'jest'))
  if (Array.isArray(roots)) return []
  const before = Array.isArray(ignored) ? ignored : ['/node_modules/']
  const value = [...before, `<rootDir>/${folder}/`]
  return [{ path: ['jest', 'testPathIgnorePatterns'], value }]
}

// Settings of Jest that are not in package.json.
export function findJestFile(root: string): string | undefined {
  return ['js', 'ts', 'cjs', 'mjs', 'json']
    .map((extension) => `jest.config.${extension}`)
    .find((name) => existsSync(join(root, name)))
}

// The API has its own versions of the packages, in a package that the application has as a member of its workspace.
function planOwnPackage(
  host: Host,
  { folder }: Layout,
  { extra, manager, packed }: PackageOptions,
): PackagesPlan {
  const { manifest, outdated, root } = host
  const { workspace } = findSurroundings(root)
  if (workspace !== undefined) throw memberOfWorkspace(host, workspace)
  const hasOwn = (name: string): boolean =>
    outdated.some((one) => one.name === name) || !Object.hasOwn(manifest.dependencies ?? {}, name)
  const own = {
    name: `${(manifest.name ?? 'app').replace(/^@[^/]*\//, '')}-api`,
    version: '0.0.0',
    private: true,
    type: 'module',
    scripts: { test: 'vitest run' },
    dependencies: Object.fromEntries(
      // One version of what both can use, so that they share it.
      [...runtime, ...extra]
        .toSorted()
        .map((name) => [
          name,
          hasOwn(name) ? toRange(name, packed, folder) : manifest.dependencies?.[name],
        ]),
    ),
    devDependencies: Object.fromEntries(tests.map((name) => [name, toRange(name, packed, folder)])),
  }
  const tools = listTools(packed).filter(
    (name) => !Object.hasOwn(manifest.devDependencies ?? {}, name),
  )
  const values = [
    ...toValues('devDependencies', tools, packed),
    ...toOverrideValues(packed, manager),
    ...toScript(manifest, `vitest run --root ${folder}`),
    ...excludeFromJest(host, folder),
  ]
  return {
    files: [
      { kind: 'write', path: `${folder}/package.json`, text: printJson(own) },
      editManifest(host, [...values, ...toMemberValues(host, folder, manager)]),
      ...planPnpmSettings(root, { manager, member: folder, overrides: toFiles(packed) }),
      ...toVendorFiles(packed),
    ],
    added: [...runtime, ...tests, ...listTools(packed)],
  }
}

// pnpm has members in a separate file.
function toMemberValues(
  { manifest }: Host,
  folder: string,
  manager: PackageManager,
): readonly JsonValue[] {
  if (manager.name === 'pnpm') return []
  const { workspaces } = manifest
  const value = Array.isArray(workspaces)
    ? { path: ['workspaces', workspaces.length], value: folder }
    : toMembers(Object(workspaces).packages, folder)
  // Yarn 1 has workspaces in private packages only.
  const isPrivate = Reflect.get(manifest, 'private') === true
  const privacy = manager.name === 'yarn' && !isPrivate ? [{ path: ['private'], value: true }] : []
  return [value, ...privacy]
}

function toMembers(packages: unknown, folder: string): JsonValue {
  return Array.isArray(packages)
    ? { path: ['workspaces', 'packages', packages.length], value: folder }
    : { path: ['workspaces'], value: [folder] }
}

function editManifest({ root }: Host, values: readonly JsonValue[]): WantedFile {
  const path = 'package.json'
  const before = readText(join(root, path)) ?? ''
  const names = values.map(({ path: keys, value }) =>
    keys[0] === 'workspaces' ? `workspace ${String(value)}` : keys.at(-1),
  )
  return {
    kind: 'edit',
    path,
    before,
    text: setValues(before, values),
    detail: `+${names.join(', +')}`,
  }
}

// The command line, and what it consists of.
function listTools(packed: readonly PackedPackage[]): readonly string[] {
  return packed.length === 0 ? ['create-api'] : ['create-api', templatesPackage]
}

function toValues(
  kind: string,
  names: readonly string[],
  packed: readonly PackedPackage[],
): readonly JsonValue[] {
  return names.map((name) => ({ path: [kind, name], value: toRange(name, packed, '') }))
}

// As the package in the folder has it.
function toRange(name: string, packed: readonly PackedPackage[], folder: string): string {
  const found = packed.find((one) => one.name === name)
  if (found === undefined) return toVersionRange(name)
  return `file:${posix.relative(folder, toVendorPath(found.file))}`
}

function toFiles(packed: readonly PackedPackage[]): Readonly<Record<string, string>> {
  const used = [...runtime, ...tests, ...listTools(packed)]
  const ours = packed.filter(({ name }) => used.includes(name))
  return Object.fromEntries(ours.map(({ file, name }) => [name, `file:${toVendorPath(file)}`]))
}

function toOverrideValues(
  packed: readonly PackedPackage[],
  manager: PackageManager,
): readonly JsonValue[] {
  const overrides = Object.entries(toOverrides(toFiles(packed), manager.name))
  return overrides.flatMap(([key, files]) =>
    Object.entries(files).map(([name, value]) => ({ path: [key, name], value })),
  )
}

function memberOfWorkspace({ outdated }: Host, workspace: string): CliError {
  const list = outdated.map(
    ({ has, name, needs }) => `  ${name} ${has}, and the API needs ${needs}`,
  )
  return new CliError(
    'NOT_ADOPTABLE',
    `the application is a member of the workspace ${workspace}`,
    {
      details: list,
      hint: 'upgrade these packages first: the API cannot have its own versions inside of a member',
    },
  )
}
