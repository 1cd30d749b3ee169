import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { readPackageJson } from '../project/package-json.ts'

export const packageManagers = ['npm', 'pnpm', 'yarn', 'bun'] as const

export type PackageManagerName = (typeof packageManagers)[number]

export interface PackageManager {
  readonly name: PackageManagerName
  /** Arguments that install all dependencies. */
  readonly install: readonly string[]
  /** Command that runs a script: `npm run`. */
  readonly run: string
  /** Command that runs an executable of the project. */
  readonly exec: string
  /** Files besides package.json that an installation reads. */
  readonly installFiles: string
  /** Command that installs the locked versions. */
  readonly frozenInstall: string
  /** Command that removes development dependencies. */
  readonly prune: string
  /** Command that makes it available in a container; empty for npm. */
  readonly setup: string
  /** Steps that make it available in a workflow. */
  readonly ciSteps: readonly string[]
  /** The same for a member of a workspace, in the root of the workspace. */
  readonly toMemberCommands: (member: Member) => MemberCommands
}

interface Member {
  /** Its folder in the workspace. */
  readonly path: string
  /** Its name in package.json. */
  readonly name: string
}

interface MemberCommands {
  /** Installs the locked versions of what it depends on. */
  readonly install: string
  /** Removes development dependencies. */
  readonly prune: string
}

const known: Readonly<Record<PackageManagerName, PackageManager>> = {
  npm: {
    name: 'npm',
    install: ['install', '--no-audit', '--no-fund'],
    run: 'npm run',
    exec: 'npx --no-install',
    installFiles: 'package-lock.json',
    frozenInstall: 'npm ci',
    prune: 'npm prune --omit=dev',
    setup: '',
    ciSteps: [],
    toMemberCommands: ({ path }) => ({
      install: `npm ci --workspace ${path}`,
      prune: `npm prune --omit=dev --workspace ${path}`,
    }),
  },
  pnpm: {
    name: 'pnpm',
    install: ['install'],
    run: 'pnpm run',
    exec: 'pnpm exec',
    installFiles: 'pnpm-lock.yaml pnpm-workspace.yaml',
    frozenInstall: 'pnpm install --frozen-lockfile',
    prune: 'pnpm prune --prod',
    setup: 'npm install --global pnpm@12',
    ciSteps: ['run: npm install --global pnpm@12'],
    // `pnpm prune` does nothing for members.
    toMemberCommands: ({ path }) => ({
      install: `pnpm install --frozen-lockfile --filter ./${path}...`,
      prune: `rm -rf node_modules ${path}/node_modules && pnpm install --frozen-lockfile --prod --filter ./${path}...`,
    }),
  },
  yarn: {
    name: 'yarn',
    install: ['install'],
    run: 'yarn run',
    exec: 'yarn run',
    installFiles: 'yarn.lock',
    frozenInstall: 'yarn install --frozen-lockfile',
    prune: 'yarn install --production --ignore-scripts --prefer-offline',
    setup: '',
    ciSteps: [],
    toMemberCommands: () => ({
      install: 'yarn install --frozen-lockfile',
      prune: 'yarn install --frozen-lockfile --production --ignore-scripts --prefer-offline',
    }),
  },
  bun: {
    name: 'bun',
    install: ['install'],
    run: 'bun run',
    exec: 'bunx --no-install',
    installFiles: 'bun.lock',
    frozenInstall: 'bun install --frozen-lockfile',
    // `bun install` adds missing packages but removes none.
    prune: 'rm -rf node_modules && bun install --frozen-lockfile --production',
    setup: 'npm install --global bun@1',
    ciSteps: ['uses: oven-sh/setup-bun@v2'],
    toMemberCommands: ({ path }) => ({
      install: `bun install --frozen-lockfile --filter ./${path}`,
      prune: `rm -rf node_modules ${path}/node_modules && bun install --frozen-lockfile --production --filter ./${path}`,
    }),
  },
}

// Yarn 2 and later have other commands than Yarn 1.
const modernYarn: PackageManager = {
  ...known.yarn,
  installFiles: 'yarn.lock .yarnrc.yml',
  frozenInstall: 'yarn install --immutable',
  prune: 'yarn workspaces focus --production',
  setup: 'npm install --global --force @yarnpkg/cli-dist@4',
  ciSteps: ['run: npm install --global --force @yarnpkg/cli-dist@4'],
  toMemberCommands: ({ name }) => ({
    install: `yarn workspaces focus ${name}`,
    prune: `yarn workspaces focus ${name} --production`,
  }),
}

// The name under which a project records it.
export function toManagerId(manager: PackageManager): string {
  return manager === modernYarn ? 'yarn-modern' : manager.name
}

export const managerIds = [...packageManagers, 'yarn-modern'] as const

export function fromManagerId(id: (typeof managerIds)[number]): PackageManager {
  return id === 'yarn-modern' ? modernYarn : known[id]
}

const lockfiles: readonly (readonly [string, PackageManagerName])[] = [
  ['package-lock.json', 'npm'],
  ['npm-shrinkwrap.json', 'npm'],
  ['pnpm-lock.yaml', 'pnpm'],
  ['yarn.lock', 'yarn'],
  ['bun.lock', 'bun'],
  ['bun.lockb', 'bun'],
]

export interface PackageManagerHints {
  /** From `--pm`. */
  readonly flag?: string | undefined
  /** `npm_config_user_agent`. */
  readonly userAgent?: string | undefined
  /** Root of the workspace the project is in. */
  readonly workspace?: string | undefined
}

// The flag, else the one of the workspace, else the one that runs this process, else npm.
export function choosePackageManager(hints: PackageManagerHints): PackageManager {
  const agent = hints.userAgent?.split('/')[0]
  const inWorkspace = hints.workspace === undefined ? undefined : managerOf(hints.workspace)
  const name = [hints.flag, inWorkspace, agent].find((candidate) => isManager(candidate))
  if (name === 'yarn' && /^yarn\/(?!1\.)/.test(hints.userAgent ?? '')) return modernYarn
  return known[isManager(name) ? name : 'npm']
}

function managerOf(root: string): PackageManagerName | undefined {
  const { packageManager } = readPackageJson(root)
  const name = typeof packageManager === 'string' ? packageManager.split('@')[0] : undefined
  if (isManager(name)) return name
  if (existsSync(join(root, 'pnpm-workspace.yaml'))) return 'pnpm'
  return lockfiles.find(([file]) => existsSync(join(root, file)))?.[1]
}

function isManager(name: string | undefined): name is PackageManagerName {
  return packageManagers.some((manager) => manager === name)
}
