import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { CliError } from '../errors/cli-error.ts'
import { type Project } from '../project/open-project.ts'
import { type PartName, toPartPath } from './resource.ts'

// The parts that the file of each part imports.
const imported: Readonly<Record<PartName, readonly PartName[]>> = {
  model: [],
  validation: [],
  service: ['model', 'validation'],
  controller: ['service', 'validation'],
  routes: ['controller', 'model', 'validation'],
  test: ['model', 'validation'],
  mount: ['routes'],
}

// Refuses `--skip` for a file that another one imports, unless it exists.
export function requireImportedParts(
  { config, root }: Project,
  plural: string,
  { chosen, skipped }: { chosen: readonly PartName[]; skipped: readonly PartName[] },
): void {
  for (const part of chosen) {
    const missing = imported[part].find((other) => {
      const path = toPartPath(config, plural, other)
      return skipped.includes(other) && !existsSync(join(root, path))
    })
    if (missing === undefined) continue
    const path = toPartPath(config, plural, missing)
    throw new CliError('USAGE', `--skip ${missing}: ${path} does not exist, and ${part} needs it`, {
      hint: `write ${path} first, or leave out --skip ${missing}`,
    })
  }
}
