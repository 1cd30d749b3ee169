import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import { onTestFinished } from 'vitest'

const core = pathToFileURL(path.join(import.meta.dirname, '../../src/migrations.ts')).href

/** A folder of migrations that is removed when the test ends. */
export interface MigrationFolder {
  readonly directory: string
  /**
   * Writes a migration.
   * @param name - `20260101000000-add-price`
   * @param definition - source of the argument of `defineMigration`
   * @returns path of the file
   */
  write(name: string, definition: string): string
}

/**
 * Creates a folder of migrations.
 * @param migrations - sources of the arguments of `defineMigration`, by name
 */
export function createMigrationFolder(
  migrations: Readonly<Record<string, string>> = {},
): MigrationFolder {
  const directory = mkdtempSync(path.join(tmpdir(), 'migrations-'))
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }))
  const folder: MigrationFolder = {
    directory,
    write(name, definition) {
      const file = path.join(directory, `${name}.ts`)
      writeFileSync(file, toSource(definition))
      return file
    },
  }
  for (const [name, definition] of Object.entries(migrations)) folder.write(name, definition)
  return folder
}

function toSource(definition: string): string {
  const names = ['buildIndex', 'defineMigration', 'dropIndex', 'hideIndex', 'outsideTransaction']
  return `import { ${names.join(', ')}, showIndex, updateInBatches } from '${core}'

export default defineMigration(${definition})
`
}
