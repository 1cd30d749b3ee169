import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { tsc } from './compile-project.ts'

const root = fileURLToPath(new URL('../../..', import.meta.url))
const installed = join(root, 'node_modules')
const cache = join(installed, '.cache/built-modules')
const packages = ['client', 'core', 'embedded-mongo', 'jobs', 'mcp', 'sign-in', 'webhooks']

/**
 * Returns a folder of modules with everything that this repository has installed, and with the packages of projects built from their
 * present sources, with declarations. A process starts with them in a third of the time that it needs to compile the sources, and the
 * compiler checks a project in a thirtieth of it.
 * @returns the path of the folder; built once for each state of the sources
 */
export function buildModules(): string {
  return join(buildOnce(packages, buildAll), 'node_modules')
}

/**
 * Returns a file of the command line, built from the present sources: it starts in a tenth of the time.
 * @returns the path of the program `api`, or of another entry point; built once for each state of the sources
 */
export function buildProgram(entry: 'api' | 'index' = 'api'): string {
  const built = buildOnce([...packages, 'cli', 'openapi-diff'], (folder) =>
    buildPackage('cli', join(folder, 'create-api')),
  )
  return join(built, `create-api/dist/${entry}.js`)
}

// In a separate folder first: other workers may build the same at the same time.
function buildOnce(names: readonly string[], build: (folder: string) => void): string {
  const target = join(cache, hashSources(names))
  if (existsSync(target)) return target
  mkdirSync(cache, { recursive: true })
  removeOld()
  const folder = mkdtempSync(join(cache, 'new-'))
  build(folder)
  try {
    renameSync(folder, target)
  } catch (error) {
    rmSync(folder, { recursive: true, force: true })
    if (!existsSync(target)) throw error
  }
  return target
}

function hashSources(names: readonly string[]): string {
  const hash = createHash('sha256')
  const files = names.flatMap((name) => {
    const sources = readdirSync(join(root, 'packages', name, 'src'), {
      recursive: true,
      encoding: 'utf8',
    })
    return [
      `packages/${name}/package.json`,
      ...sources.toSorted().map((file) => `packages/${name}/src/${file}`),
    ]
  })
  for (const file of ['package-lock.json', 'tsup.config.ts', ...files]) {
    const { mtimeMs, size } = statSync(join(root, file))
    hash.update(`${file} ${mtimeMs} ${size}\n`)
  }
  return hash.digest('hex').slice(0, 16)
}

function buildAll(folder: string): void {
  const modules = join(folder, 'node_modules')
  mkdirSync(join(modules, '@create-api'), { recursive: true })
  link(installed, modules, (name) => name !== '.cache' && name !== '@create-api')
  const scope = join(installed, '@create-api')
  link(scope, join(modules, '@create-api'), (name) => !packages.includes(name))
  const types = buildTypes(folder)
  for (const name of packages) {
    const built = join(modules, '@create-api', name)
    buildPackage(name, built)
    cpSync(join(types, name, 'src'), join(built, 'dist'), { recursive: true })
  }
}

function link(from: string, to: string, isWanted: (name: string) => boolean): void {
  for (const name of readdirSync(from).filter(isWanted)) {
    symlinkSync(join(from, name), join(to, name))
  }
}

// Much faster than with tsup, which bundles them.
function buildTypes(folder: string): string {
  const outDir = join(folder, 'types')
  const config = {
    extends: join(root, 'tsconfig.json'),
    compilerOptions: {
      rootDir: join(root, 'packages'),
      outDir,
      noEmit: false,
      emitDeclarationOnly: true,
      noCheck: true,
    },
    include: packages.map((name) => join(root, 'packages', name, 'src')),
    exclude: [join(root, 'packages/*/src/**/*.test.ts')],
  }
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(config))
  execFileSync(process.execPath, [tsc, '--project', folder], { stdio: 'pipe' })
  return outDir
}

function buildPackage(name: string, target: string): void {
  const source = join(root, 'packages', name)
  mkdirSync(target)
  link(source, target, (entry) => !['dist', 'package.json', 'src'].includes(entry))
  const manifest: unknown = JSON.parse(readFileSync(join(source, 'package.json'), 'utf8'), toBuilt)
  writeFileSync(join(target, 'package.json'), JSON.stringify(manifest))
  const tsup = join(installed, 'tsup/dist/cli-default.js')
  const options = ['--config', join(root, 'tsup.config.ts'), '--no-dts', '--out-dir']
  execFileSync(process.execPath, [tsup, ...options, join(target, 'dist')], {
    cwd: source,
    stdio: 'pipe',
  })
}

// An entry of `exports`, which names the source, the types and the built file.
function toBuilt(_key: string, value: unknown): unknown {
  const isEntry = typeof value === 'object' && value !== null && '@create-api/source' in value
  if (!isEntry) return value
  const { '@create-api/source': source, ...built } = value
  const types = String(source).replace('/src/', '/dist/').replace(/\.ts$/, '.d.ts')
  // The first condition that applies is taken.
  return Object.assign({ types }, built, { types })
}

const hour = 3_600_000

function removeOld(): void {
  for (const name of readdirSync(cache)) {
    const folder = join(cache, name)
    if (Date.now() - statSync(folder).mtimeMs > hour) rmSync(folder, { recursive: true })
  }
}
