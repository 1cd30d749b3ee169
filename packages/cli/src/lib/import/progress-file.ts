import { createHash, randomBytes } from 'node:crypto'
import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { isJson } from '../client/document.ts'
import { CliError } from '../errors/cli-error.ts'
import { isErrno } from '../files/plan.ts'

/** What an import is, so that another run continues the same one. */
export interface ImportIdentity {
  /** SHA-256 of the file. */
  readonly file: string
  readonly path: string
  readonly database: string
  /** SHA-256 of the options that decide what is sent. */
  readonly options: string
}

/** How far an import has come. */
export interface Progress extends ImportIdentity {
  /** Seconds since the epoch. */
  readonly startedAt: number
  /** Part of the ids of all documents, 10 hexadecimal digits. */
  readonly seed: string
  /** The first records of the file, which are created or rejected. */
  readonly done: number
  readonly created: number
  readonly rejected: number
  /** Length of the file of rejected records. */
  readonly rejectedBytes: number
  readonly isFinished: boolean
}

const version = 1

// Reads the progress of the same import, or begins one. An import of another file, into another database or with other
// options would create documents a second time.
export function readProgress(
  path: string | undefined,
  identity: ImportIdentity,
  restart: boolean,
): Progress {
  const earlier = restart || path === undefined ? undefined : read(path)
  if (!earlier) return startProgress(identity)
  const changed = differences.filter(({ part }) => earlier[part] !== identity[part])
  if (changed.length === 0) return earlier
  // It has created nothing that could be created twice.
  if (earlier.isFinished && earlier.created === 0) return startProgress(identity)
  const what = changed.map(({ text }) => text).join(', ')
  throw new CliError(
    'CONFLICT',
    `an import of this file has created ${earlier.created} documents; since then, ${what} changed`,
    {
      details: [`  ${path} describes the import`],
      hint: 'to import all lines again, also those that were created: --restart',
    },
  )
}

export function startProgress(identity: ImportIdentity): Progress {
  return {
    ...identity,
    startedAt: Math.floor(Date.now() / 1000),
    seed: randomBytes(5).toString('hex'),
    done: 0,
    created: 0,
    rejected: 0,
    rejectedBytes: 0,
    isFinished: false,
  }
}

const differences = [
  { part: 'file', text: 'the file' },
  { part: 'path', text: 'the resource' },
  { part: 'database', text: 'the database' },
  { part: 'options', text: 'an option' },
] as const

function read(path: string): Progress | undefined {
  let text: string
  try {
    text = readFileSync(path, 'utf8')
  } catch (error) {
    if (isErrno(error, 'ENOENT')) return undefined
    throw error
  }
  try {
    const content: unknown = JSON.parse(text)
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- written below
    if (isJson(content) && content['version'] === version) return content as unknown as Progress
  } catch {
    // Reported below.
  }
  throw new CliError('CONFLICT', `${path} is not the progress of an import`, {
    hint: 'move it away, or overwrite it: --restart',
  })
}

// Either the earlier progress or the new one is there, whenever the process is killed.
export function writeProgress(path: string, progress: Progress): void {
  const aside = `${path}.${process.pid}`
  try {
    writeFileSync(aside, `${JSON.stringify({ version, ...progress }, undefined, 2)}\n`)
    renameSync(aside, path)
  } catch (error) {
    rmSync(aside, { force: true })
    throw new CliError(
      'WRITE_FAILED',
      `${path} cannot be written, so the import could not be continued`,
      {
        hint: 'copy the file into a folder that you may write to',
        cause: error,
      },
    )
  }
}

export function hashOptions(options: unknown): string {
  return createHash('sha256').update(JSON.stringify(options)).digest('hex')
}
