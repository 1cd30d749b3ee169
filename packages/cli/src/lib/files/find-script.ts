import { existsSync, readFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'

export interface InstalledCommand {
  readonly package: string
  readonly bin: string
}

export function findScript(from: string, command: InstalledCommand): string | undefined {
  for (let folder = from; ; folder = dirname(folder)) {
    const manifest = join(folder, 'node_modules', command.package, 'package.json')
    if (existsSync(manifest)) return readBin(manifest, command.bin)
    if (dirname(folder) === folder) return undefined
  }
}

function readBin(manifest: string, name: string): string | undefined {
  const text = readFileSync(manifest, 'utf8')
  const { bin }: { bin?: string | Record<string, string> } = JSON.parse(text)
  const path = typeof bin === 'string' ? bin : bin?.[name]
  return path === undefined ? undefined : resolve(dirname(manifest), path)
}
