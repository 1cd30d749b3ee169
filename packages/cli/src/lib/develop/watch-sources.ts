import { type EventEmitter } from 'node:events'
import { watch } from 'node:fs'
import { join } from 'node:path'
import { isErrno } from '../files/plan.ts'
import { CliError } from '../errors/cli-error.ts'
import { type Project } from '../project/open-project.ts'

// Long enough for a generator that writes several files.
const quietMs = 50

// A process that started before one of them changed has read what it was.
export const settingFiles: ReadonlySet<string> = new Set(['.env', 'package.json', 'tsconfig.json'])

// Emits `change` with the paths of changed files, once no more change: source files that are not tests, and
// the files of settings. Emits `error` when the system refuses to watch.
export function watchSources(
  { config: { srcDir }, root }: Project,
  events: EventEmitter,
  signal: AbortSignal,
): void {
  const changed = new Set<string>()
  let timer: NodeJS.Timeout | undefined
  const add = (path: string): void => {
    changed.add(path)
    clearTimeout(timer)
    timer = setTimeout(() => {
      events.emit('change', [...changed])
      changed.clear()
    }, quietMs)
  }
  const onSource = (_event: string, name: string | null): void => {
    const path = `${srcDir}/${name?.replaceAll('\\', '/') ?? ''}`
    if (isSource(path)) add(path)
  }
  const onSetting = (_event: string, name: string | null): void => {
    if (name !== null && settingFiles.has(name)) add(name)
  }
  const onError = (error: unknown): void => void events.emit('error', toError(error))
  try {
    watch(join(root, srcDir), { recursive: true, signal }, onSource).on('error', onError)
    watch(root, { signal }, onSetting).on('error', onError)
  } catch (error) {
    onError(error)
  }
}

// Temporary files of editors have other names.
function isSource(path: string): boolean {
  return /\/[^./][^/]*\.(?:[cm]?[jt]sx?|json)$/.test(path) && !/\.test\.[^/]+$/.test(path)
}

function toError(error: unknown): unknown {
  if (!isErrno(error, 'ENOSPC') && !isErrno(error, 'EMFILE')) return error
  return new CliError('UNEXPECTED', 'the system allows no more file watchers', {
    hint: 'close programs that watch files, or raise the limit: sysctl fs.inotify.max_user_watches=524288',
    cause: error,
  })
}
