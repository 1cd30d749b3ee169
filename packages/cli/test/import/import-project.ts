import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createApiProgram } from '../../src/lib/programs/api-program.ts'
import { createLinkedJavaScript, sourceEnv } from '../linked-project.ts'
import { type Result, runProgram } from '../run-program.ts'

/** A project with one resource, and `api` in it. */
export interface ImportProject {
  readonly root: string
  readonly api: (
    args: readonly string[],
    input?: string,
    env?: Readonly<Record<string, string>>,
  ) => Promise<Result>
  /** Writes a file into the project. */
  readonly write: (name: string, content: string | Uint8Array) => void
  /** The documents of a list, in their order. */
  readonly list: (
    path: string,
    env?: Readonly<Record<string, string>>,
  ) => Promise<readonly Readonly<Record<string, unknown>>[]>
}

/** Creates a project whose resource has these arguments of `api generate resource`. */
export async function createImportProject(resource: readonly string[]): Promise<ImportProject> {
  const root = await createLinkedJavaScript()
  const api: ImportProject['api'] = (args, input = '', env = {}) =>
    runProgram(createApiProgram, args, { cwd: root, env: { ...sourceEnv, ...env }, input })
  await api(['generate', 'resource', ...resource, '--export'])
  return {
    root,
    api,
    write: (name, content) => writeFileSync(join(root, name), content),
    async list(path, env = {}) {
      const header = ['--header', 'Accept: application/x-ndjson']
      const { stdout } = await api(['request', 'GET', path, ...header, '--json'], '', env)
      const text: string = JSON.parse(stdout).body
      return text.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line)]))
    },
  }
}
