// Finds and starts a MongoDB server for tests: `MONGODB_TEST_URI`, the program `MONGOD` or `mongod`, a
// package of NuGet that carries one, or a container image (`MONGODB_IMAGE`).
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import os from 'node:os'
import path from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { MongoClient } from 'mongodb'

const nuget = [
  'EphemeralMongo8.runtime.linux-x64',
  'EphemeralMongo7.runtime.linux-x64',
  'EphemeralMongo6.runtime.linux-x64',
  'Mongo2Go',
]
const image = process.env['MONGODB_IMAGE'] ?? 'docker.io/library/mongo:8'
const cache = path.join(
  process.env['XDG_CACHE_HOME'] ?? path.join(os.homedir(), '.cache'),
  'create-api',
  'mongod',
)

export interface TestServer {
  readonly uri: string
  /** Where it comes from, and its version. */
  readonly name: string
  readonly stop: () => Promise<void>
}

/** Why there is no server. */
export interface NoServer {
  readonly missing: string
}

/** Starts a server, a replica set of one node unless `standalone`. */
export async function startServer({ standalone = false } = {}): Promise<TestServer | NoServer> {
  const given = process.env['MONGODB_TEST_URI']
  if (given) return withVersion({ uri: given, name: 'MONGODB_TEST_URI', stop: async () => {} })
  const tried = ['MONGODB_TEST_URI is not set']
  const program = findProgram(tried) ?? findInNuget(tried)
  if (program) return startProgram(program, standalone)
  const engine = findEngine(tried)
  if (engine) return startContainer(engine, standalone)
  return { missing: tried.join('; ') }
}

function findProgram(tried: string[]): string | undefined {
  const name = process.env['MONGOD'] ?? 'mongod'
  if (spawnSync(name, ['--version']).status === 0) return name
  tried.push(`${process.env['MONGOD'] ? `MONGOD=${name}` : 'mongod on the path'} does not run`)
  return undefined
}

function findInNuget(tried: string[]): string | undefined {
  if (process.platform !== 'linux' || process.arch !== 'x64') {
    tried.push('packages of NuGet are for linux-x64')
    return undefined
  }
  const known = findFile(cache, 'mongod')
  if (known) return known
  if (spawnSync('dotnet', ['--version']).status !== 0) {
    tried.push('NuGet needs dotnet')
    return undefined
  }
  for (const name of nuget) {
    const program = restore(name)
    if (program) return program
  }
  tried.push(`NuGet has none of ${nuget.join(', ')}`)
  return undefined
}

function restore(name: string): string | undefined {
  const folder = path.join(cache, name)
  const project = path.join(folder, 'restore.csproj')
  mkdirSync(folder, { recursive: true })
  writeFileSync(
    project,
    `<Project Sdk="Microsoft.NET.Sdk">
  <PropertyGroup><TargetFramework>netstandard2.0</TargetFramework></PropertyGroup>
  <ItemGroup><PackageReference Include="${name}" Version="*" /></ItemGroup>
</Project>
`,
  )
  const { status } = spawnSync('dotnet', ['restore', project, '--packages', folder], {
    timeout: 120_000,
  })
  const program = status === 0 ? findFile(folder, 'mongod') : undefined
  if (!program) rmSync(folder, { recursive: true, force: true })
  // Packages do not keep the permission to run a file.
  else spawnSync('chmod', ['+x', program])
  return program
}

function findFile(folder: string, name: string): string | undefined {
  if (!existsSync(folder)) return undefined
  const files = readdirSync(folder, { recursive: true, withFileTypes: true })
  const found = files.find((file) => file.isFile() && file.name === name)
  return found && path.join(found.parentPath, found.name)
}

function findEngine(tried: string[]): string | undefined {
  const engine = ['docker', 'podman'].find((name) => spawnSync(name, ['info']).status === 0)
  if (!engine) tried.push('no container engine answers')
  return engine
}

async function startProgram(program: string, standalone: boolean): Promise<TestServer> {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'mongod-'))
  const port = await findPort()
  const options = ['--dbpath', folder, '--port', String(port), '--bind_ip', '127.0.0.1']
  const set = standalone ? [] : ['--replSet', 'rs0']
  const child = spawn(program, [...options, ...set], { stdio: 'ignore' })
  const stop = async (): Promise<void> => {
    const exit = once(child, 'exit')
    if (child.exitCode === null && child.kill('SIGKILL')) await exit
    rmSync(folder, { recursive: true, force: true })
  }
  process.on('exit', () => child.kill('SIGKILL'))
  return initiate({ port, name: program, standalone, stop })
}

async function startContainer(engine: string, standalone: boolean): Promise<TestServer | NoServer> {
  const port = await findPort()
  const set = standalone ? [] : ['--replSet', 'rs0']
  const options = ['--rm', '--detach', '--publish', `127.0.0.1:${port}:27017`]
  const { stdout, stderr, status } = spawnSync(engine, ['run', ...options, image, ...set], {
    encoding: 'utf8',
  })
  if (status !== 0) return { missing: `${engine} cannot run ${image}: ${stderr.trim()}` }
  const stop = async (): Promise<void> => {
    spawnSync(engine, ['kill', stdout.trim()])
  }
  return initiate({ port, name: `${engine} ${image}`, standalone, stop })
}

interface Started {
  readonly port: number
  readonly name: string
  readonly standalone: boolean
  readonly stop: () => Promise<void>
}

async function initiate({ port, name, standalone, stop }: Started): Promise<TestServer> {
  const address = `127.0.0.1:${port}`
  const client = new MongoClient(`mongodb://${address}/?directConnection=true`)
  try {
    await client.connect()
    if (!standalone) {
      const members = [{ _id: 0, host: address }]
      await client.db('admin').command({ replSetInitiate: { _id: 'rs0', members } })
      while (!(await client.db('admin').command({ hello: 1 })).isWritablePrimary) await wait(100)
    }
  } catch (error) {
    await stop()
    throw error
  } finally {
    await client.close()
  }
  const query = standalone ? '' : '?replicaSet=rs0'
  return withVersion({ uri: `mongodb://${address}/${query}`, name, stop })
}

async function withVersion({ name, ...server }: TestServer): Promise<TestServer> {
  const client = await MongoClient.connect(server.uri)
  try {
    const { version, modules = [] } = await client.db('admin').command({ buildInfo: 1 })
    const kind = modules.includes('embedded') ? 'the embedded database' : `MongoDB ${version}`
    return { ...server, name: `${kind} (${name})` }
  } finally {
    await client.close()
  }
}

async function findPort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  server.close()
  await once(server, 'close')
  if (address === null || typeof address === 'string') throw new Error('no port')
  return address.port
}
