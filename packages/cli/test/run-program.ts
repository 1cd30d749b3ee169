import { mkdtempSync, readdirSync, readFileSync, readlinkSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { fileURLToPath } from 'node:url'
import { onTestFinished } from 'vitest'
import { choosePackageManager } from '../src/lib/create/package-manager.ts'
import { writeProject } from '../src/lib/create/write-project.ts'
import { type ProgramFactory, run } from '../src/lib/programs/run.ts'

/** How a program ended that ran inside the test's own process. */
export interface Result {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

/** The world a program is run in. */
export interface World {
  readonly cwd: string
  /** What standard input holds. */
  readonly input?: string
  readonly env?: Readonly<Record<string, string>>
}

/** Runs a program with captured streams that are not a terminal. */
export async function runProgram(
  program: ProgramFactory,
  args: readonly string[],
  { cwd, env = {}, input = '' }: World,
): Promise<Result> {
  let stdout = ''
  let stderr = ''
  const code = await run(program, args, {
    cwd,
    env: { PATH: process.env['PATH'], HOME: process.env['HOME'], ...env },
    stdin: Readable.from([input]),
    stdout: { write: (text) => (stdout += text) },
    stderr: { write: (text) => (stderr += text) },
  })
  return { code, stdout, stderr }
}

// Vitest takes an import such as `timers/promises` for its own file if the path of the project is a few letters
// shorter than that of Vitest: it compares with the end of its path.
const ownPath = fileURLToPath(new URL('../../../node_modules/vitest/dist', import.meta.url))
const temporaryName = 'create-api-'.padEnd(ownPath.length, '-')

/** Makes a folder that is removed when the test ends. */
export function createTemporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), temporaryName))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

/** Reads every file below a folder, but what is ignored by git: path to text. */
export function readTree(root: string, folder = ''): Map<string, string> {
  const files = new Map<string, string>()
  for (const entry of readdirSync(join(root, folder), { withFileTypes: true })) {
    const path = folder === '' ? entry.name : `${folder}/${entry.name}`
    if (['node_modules', '.git', '.data', 'dist', '.env'].includes(entry.name)) continue
    if (entry.isSymbolicLink()) {
      files.set(path, `→ ${readlinkSync(join(root, path))}`)
    } else if (entry.isDirectory()) {
      for (const [name, text] of readTree(root, path)) files.set(name, text)
    } else {
      files.set(path, readFileSync(join(root, path), 'latin1'))
    }
  }
  return files
}

/** Creates a project as create-api does, without installing anything. */
export async function createProject(
  resource: readonly string[] = [],
  client = false,
): Promise<string> {
  const target = join(createTemporaryFolder(), 'my-service')
  const manager = choosePackageManager({})
  await writeProject({
    dir: 'my-service',
    target,
    name: 'my-service',
    manager,
    resource,
    client,
    published: true,
    surroundings: { workspace: undefined, otherWorkspace: undefined, repository: undefined },
    install: false,
    git: false,
  })
  return target
}
