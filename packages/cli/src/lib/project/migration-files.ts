import { existsSync, readdirSync } from 'node:fs'
import { join, posix } from 'node:path'
import { type Project } from './open-project.ts'

export function toMigrationFolder({ config }: Project): string {
  return posix.join(config.srcDir, 'migrations')
}

// Times for new migrations, `20261121190301` in UTC: later than those that exist, and a second apart, so that the order
// of the names is the order to run them in.
export function toMigrationTimes(project: Project, now: Date, count: number): readonly string[] {
  const folder = join(project.root, toMigrationFolder(project))
  const names = existsSync(folder) ? readdirSync(folder) : []
  const last = names
    .flatMap((name) => /^(\d{14})-/.exec(name)?.[1] ?? [])
    .toSorted()
    .at(-1)
  const first = Math.max(now.getTime(), last === undefined ? 0 : parseTime(last) + 1000)
  return Array.from({ length: count }, (_, index) => formatTime(new Date(first + index * 1000)))
}

function formatTime(date: Date): string {
  return date.toISOString().replaceAll(/\D/g, '').slice(0, 14)
}

// NaN for digits that are not a time would be the maximum of nothing.
function parseTime(text: string): number {
  const time = Date.parse(
    text.replace(/^(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)$/, '$1-$2-$3T$4:$5:$6Z'),
  )
  return Number.isNaN(time) ? 0 : time
}
