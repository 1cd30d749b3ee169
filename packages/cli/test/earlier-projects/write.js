// @ts-check
// Writes what the generator wrote at an earlier commit of this repository:
//   node packages/cli/test/earlier-projects/write.js <commit>
import { execFileSync } from 'node:child_process'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { gzipSync } from 'node:zlib'

const resources = [
  'posts title:string body:text tags:array:string',
  'notes text:text:optional done:boolean:default=false --access owner',
  'comments body:text note:ref:Note --under posts --access owner',
]

const create = `
import { choosePackageManager } from './packages/cli/src/lib/create/package-manager.ts'
import { writeProject } from './packages/cli/src/lib/create/write-project.ts'

const [target = ''] = process.argv.slice(2)
await writeProject({
  dir: 'my-service',
  target,
  name: 'my-service',
  manager: choosePackageManager({}),
  resource: [],
  published: true,
  workspace: undefined,
  install: false,
  git: false,
})
`

const [commit = ''] = process.argv.slice(2)
const repository = fileURLToPath(new URL('../../../../', import.meta.url))
const checkout = mkdtempSync(join(tmpdir(), 'earlier-'))
const target = join(checkout, 'written', 'my-service')
/** @type {(file: string, args: readonly string[], cwd: string) => void} */
const run = (file, args, cwd) => void execFileSync(file, args, { cwd, stdio: 'inherit' })
try {
  run('git', ['worktree', 'add', '--quiet', '--force', '--detach', checkout, commit], repository)
  // Links between packages are relative, so the copy links the packages of the checkout.
  for (const folder of ['', ...readdirSync(join(repository, 'packages'), { encoding: 'utf8' })]) {
    const modules = join(folder && 'packages', folder, 'node_modules')
    if (existsSync(join(repository, modules)))
      run('cp', ['-a', join(repository, modules), join(checkout, modules)], repository)
  }
  const loader = pathToFileURL(join(checkout, 'node_modules/tsx/dist/loader.mjs')).href
  const options = ['--conditions=@create-api/source', '--import', loader]
  const program = join(checkout, 'create.ts')
  writeFileSync(program, create)
  run(process.execPath, [...options, program, target], checkout)
  for (const resource of resources) {
    const api = join(checkout, 'packages/cli/src/api.ts')
    run(process.execPath, [...options, api, 'generate', 'resource', ...resource.split(' ')], target)
  }
  const paths = readdirSync(target, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(target.length + 1))
    .filter((path) => path !== '.env' && !path.startsWith('.api/base/'))
    .toSorted()
  const texts = paths.map((path) => [path, readFileSync(join(target, path), 'utf8')])
  const file = new URL(`${commit}.json.gz`, import.meta.url)
  writeFileSync(file, gzipSync(JSON.stringify(Object.fromEntries(texts)), { level: 9 }))
} finally {
  run('git', ['worktree', 'remove', '--force', checkout], repository)
  rmSync(checkout, { recursive: true, force: true })
}
