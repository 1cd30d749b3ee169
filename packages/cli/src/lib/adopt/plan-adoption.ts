import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { findCheckout, readTarballs } from '../create/checkout.ts'
import { choosePackageManager, type PackageManager } from '../create/package-manager.ts'
import { CliError } from '../errors/cli-error.ts'
import { type WantedFile } from '../files/change.ts'
import { hashText } from '../files/hash-text.ts'
import { readText } from '../files/plan.ts'
import { version } from '../package/own-package.ts'
import { configFile } from '../project/config.ts'
import { type AdoptionRecord, printRecord } from './adoption-record.ts'
import { adoptionFile, isAdopted } from '../project/adoption-file.ts'
import { chooseLayout, type Layout } from './choose-layout.ts'
import { type AppPlace, findApp } from './find-app.ts'
import { type Environment, readEnvironment } from './read-environment.ts'
import { insertMount, type MountEdit } from './insert-mount.ts'
import { planPackages } from './plan-packages.ts'
import { listUserPackages, planUsers, type UsersChoice } from './plan-users.ts'
import { planSecret } from './plan-secret.ts'
import { type Host, readHost, readManifest } from './read-host.ts'
import { renderApi } from './render-api.ts'
import { findServedPaths, proposePrefix } from './served-paths.ts'
import { listSourceFiles } from './source-files.ts'

export interface AdoptOptions {
  /** File that creates the app, `src/app.js` or `src/app.js:12`. */
  readonly app?: string | undefined
  /** Path below which the API is mounted. */
  readonly prefix?: string | undefined
  /** Folder for the files of the API. */
  readonly dir?: string | undefined
  /** Whether the users of the application are used. */
  readonly users?: boolean | undefined
}

export interface Adoption {
  readonly app: AppPlace
  readonly host: Host
  readonly layout: Layout
  readonly mount: MountEdit
  readonly environment: Environment
  readonly users: UsersChoice
  readonly prefix: string
  readonly manager: PackageManager
  /** Names of the packages that are added. */
  readonly packages: readonly string[]
  readonly files: readonly WantedFile[]
}

// Reads the application, writes nothing.
export async function planAdoption(root: string, options: AdoptOptions): Promise<Adoption> {
  readManifest(root)
  requireNew(root)
  const sources = listSourceFiles(root)
  const app = await findApp(sources, options.app)
  const host = readHost(root, app)
  const layout = chooseLayout(host, app, options.dir)
  const prefix = toPrefix(options.prefix)
  requireUnserved(sources, prefix)
  const environment = readEnvironment(host, sources)
  requireFreeName(app)
  const mount = insertMount(app, { specifier: layout.specifier, prefix })
  const manager = choosePackageManager({ workspace: root })
  const users = await planUsers(host, sources, options.users !== false)
  const checkout = findCheckout()
  const packages = planPackages(host, layout, {
    manager,
    extra: listUserPackages(users),
    packed: checkout === undefined ? [] : readTarballs(checkout),
  })
  const secret = planSecret(host, environment, randomBytes(32).toString('base64url'))
  const api = await renderApi(host, layout, environment, users.plan)
  const files: readonly WantedFile[] = [
    ...api,
    { kind: 'edit', path: app.path, before: app.text, text: mount.text, detail: '+2 lines' },
    ...packages.files,
    ...secret.files,
  ]
  const record = {
    kind: 'write',
    path: adoptionFile,
    text: printRecord(toRecord(files, secret.added)),
  } as const
  return {
    app,
    host,
    layout,
    mount,
    environment,
    users,
    prefix,
    manager,
    packages: packages.added,
    // First, so that a killed run can be taken back.
    files: [record, ...files],
  }
}

function requireNew(root: string): void {
  if (isAdopted(root)) {
    throw new CliError('NOT_ADOPTABLE', 'this application has been adopted already', {
      hint: 'to undo that: npx create-api adopt --undo',
      files: [adoptionFile],
    })
  }
  if (readText(join(root, configFile)) === undefined) return
  throw new CliError('NOT_ADOPTABLE', `there is a ${configFile}: this is a project of create-api`, {
    hint: 'generate resources with: npx api generate resource posts',
    files: [configFile],
  })
}

function toPrefix(given = ''): string {
  const prefix = given.replace(/\/+$/, '')
  // Clients resolve `.` and `..` in paths.
  if (prefix === '' || /^(\/(?!\.{1,2}(\/|$))[\w.~-]+)+$/.test(prefix)) return prefix
  throw new CliError('USAGE', `--prefix ${given} is not a path such as /v2`)
}

function requireFreeName({ path, text }: AppPlace): void {
  const index = text.search(/\bmountApi\b/)
  if (index === -1) return
  const place = `${path}:${text.slice(0, index).split('\n').length}`
  throw new CliError('NOT_ADOPTABLE', `${place} has the name mountApi already`, {
    hint: 'rename it, or remove the mount that was added by hand',
    files: [path],
  })
}

function requireUnserved(sources: Parameters<typeof findServedPaths>[0], prefix: string): void {
  const served = findServedPaths(sources, prefix)
  const [first] = served
  if (first === undefined) return
  const shown = served.slice(0, 5).map(({ file, line, path }) => `  ${path}   ${file}:${line}`)
  const more = served.length > 5 ? [`  … and ${served.length - 5} more`] : []
  const free = proposePrefix(sources)
  throw new CliError(
    'NOT_ADOPTABLE',
    `the application already serves ${prefix === '' ? first.path : prefix}; nothing was written`,
    {
      details: [...shown, ...more],
      hint: `mount the API below another path: --prefix ${free}`,
      files: [...new Set(served.map(({ file }) => file))],
    },
  )
}

function toRecord(files: readonly WantedFile[], added: AdoptionRecord['added']): AdoptionRecord {
  const created: Record<string, string> = {}
  const edited: Record<string, { before: string; after: string }> = {}
  for (const file of files) {
    if (file.kind === 'delete') continue
    if (file.kind === 'write') created[file.path] = hashText(file.text)
    // The record is not secret.
    else if (!Object.hasOwn(added, file.path)) {
      edited[file.path] = { before: file.before ?? '', after: file.text }
    }
  }
  return { version: 1, cli: version, created, edited, added }
}
