import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { createTemporaryFolder } from '../../../packages/cli/test/run-program.ts'

/** Folder of this repository. */
export const repository = fileURLToPath(new URL('../../../', import.meta.url))
const copies = {
  4: join(repository, 'checks/node_modules/express4'),
  5: join(repository, 'node_modules/express'),
}

/** Writes the files of a project with a version of Express. */
export function createApp(version: 4 | 5, files: Readonly<Record<string, string>>): string {
  const folder = createTemporaryFolder()
  const modules = join(folder, 'node_modules')
  mkdirSync(modules)
  symlinkSync(copies[version], join(modules, 'express'))
  symlinkSync(join(repository, 'node_modules/mongoose'), join(modules, 'mongoose'))
  for (const [name, text] of Object.entries({ 'package.json': '{"name":"shop"}', ...files })) {
    mkdirSync(dirname(join(folder, name)), { recursive: true })
    writeFileSync(join(folder, name), text)
  }
  return folder
}
