import { type PackageManagerName } from './package-manager.ts'
import { type PackedPackage, toVendorPath } from './checkout.ts'
import { version } from '../package/own-package.ts'

export type Ranges = Readonly<Record<string, string>>

export interface ProjectDependencies {
  readonly dependencies: Ranges
  readonly devDependencies: Ranges
  /** Keys of package.json that make every package use the tarballs; empty when published. */
  readonly overrides: Readonly<Record<string, Ranges>>
  /** The same for pnpm, in pnpm-workspace.yaml. */
  readonly pnpmOverrides: Ranges
}

const runtime: Ranges = { express: '^5.3.0', mongoose: '^9.12.1', zod: '^4.6.7' }

const development: Ranges = {
  '@types/express': '^5.0.6',
  '@types/node': '^20.19.0',
  '@types/supertest': '^7.2.1',
  // Below 1.0, any release of a formatter may change its output.
  oxfmt: '0.78.0',
  oxlint: '^1.94.0',
  supertest: '^7.3.2',
  tsx: '^4.23.15',
  typescript: '^7.0.2',
  vitest: '^4.1.12',
}

// A peer dependency of vitest, which other package managers install by themselves.
const yarnOnly: Ranges = { vite: '^8.3.8' }

const ours = ['@create-api/core', '@create-api/embedded-mongo', 'create-api']

// A dependency of `create-api` alone, which a project needs only as a tarball.
export const templatesPackage = '@create-api/templates'
export const clientPackage = '@create-api/client'
export const mcpPackage = '@create-api/mcp'
export const jobsPackage = '@create-api/jobs'
// Installed by projects that need them.
const optionalPackages = [mcpPackage, jobsPackage, '@create-api/sign-in', '@create-api/webhooks']

// The range of a package that a project depends on.
export function toVersionRange(name: string): string {
  return runtime[name] ?? development[name] ?? `^${version}`
}

interface DependencyChoice {
  readonly packed: readonly PackedPackage[]
  readonly manager: { readonly name: PackageManagerName }
  readonly client: boolean
}

export function chooseDependencies({
  client,
  manager: { name: manager },
  packed,
}: DependencyChoice): ProjectDependencies {
  // The other tarballs are there to be installed later.
  const unused = client ? optionalPackages : [...optionalPackages, clientPackage]
  const used = packed.filter(({ name }) => !unused.includes(name))
  const entries = used.map(({ file, name }) => [name, `file:${toVendorPath(file)}`])
  const files = sorted(Object.fromEntries(entries))
  const wanted = client ? [...ours, clientPackage] : ours
  const own = Object.fromEntries(wanted.map((name) => [name, files[name] ?? `^${version}`]))
  const { '@create-api/core': core = '', ...tools } = own
  return {
    dependencies: { '@create-api/core': core, ...runtime },
    devDependencies: sorted({
      ...tools,
      ...pick(files, templatesPackage),
      ...development,
      ...(manager === 'yarn' ? yarnOnly : {}),
    }),
    overrides: packed.length === 0 ? {} : toOverrides(files, manager),
    pnpmOverrides: files,
  }
}

// Only npm finds the dependencies of a tarball among the other tarballs by itself.
export function toOverrides(
  files: Ranges,
  manager: PackageManagerName,
): Readonly<Record<string, Ranges>> {
  if (manager === 'yarn') return { resolutions: files }
  return manager === 'bun' ? { overrides: files } : {}
}

function pick(files: Ranges, name: string): Ranges {
  const file = files[name]
  return file === undefined ? {} : { [name]: file }
}

function sorted(ranges: Ranges): Ranges {
  return Object.fromEntries(Object.entries(ranges).toSorted(([a], [b]) => (a < b ? -1 : 1)))
}
