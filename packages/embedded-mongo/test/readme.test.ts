import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type BuiltPackage, buildPackage } from './built.ts'

let built: BuiltPackage

beforeAll(() => {
  built = buildPackage()
})

afterAll(() => built.remove())

const files = ['../README.md', '../../../docs/database.md']

describe('the documentation', () => {
  it.each(files)('%s: its first example runs and the process ends', (file) => {
    const text = readFileSync(new URL(file, import.meta.url), 'utf8')
    const example = /```ts\n([\s\S]+?)```/.exec(text)?.[1] ?? ''
    // A folder below the package, so that mongoose is found.
    const folder = mkdtempSync(join(built.folder, 'readme-'))
    const script = join(folder, 'example.mjs')
    const end = example.includes('disconnect') ? '' : 'await mongoose.disconnect()\n'
    const code = example.replace("'@create-api/embedded-mongo'", `'${built.folder}/index.js'`)
    writeFileSync(script, `${code}\nprocess.stdout.write(mongo.role + '\\n')\n${end}`)
    const output = execFileSync(process.execPath, [script], {
      cwd: folder,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    })
    expect(output).toBe('owner\n')
    rmSync(folder, { recursive: true })
  })

  it('names every option of startEmbeddedMongo in docs/database.md', () => {
    const options = readFileSync(new URL('../src/lib/host/options.ts', import.meta.url), 'utf8')
    const known = /const known = \[(.+)\]/.exec(options)?.[1]?.match(/\w+/g) ?? []
    const text = readFileSync(new URL('../../../docs/database.md', import.meta.url), 'utf8')
    expect(known.length).toBeGreaterThan(4)
    expect(known.filter((name) => !new RegExp(`^\\| \`${name}\` +\\|`, 'm').test(text))).toEqual([])
  })

  it('shows a usage text that names every tool of the README', () => {
    const help = execFileSync(
      process.execPath,
      [join(built.folder, 'embedded-mongo.js'), '--help'],
      {
        encoding: 'utf8',
      },
    )
    const text = readFileSync(fileURLToPath(new URL('../README.md', import.meta.url)), 'utf8')
    const tools = [...text.matchAll(/npx embedded-mongo (\w+)/g)].map(([, tool]) => tool)
    expect(tools.filter((tool) => !help.includes(`embedded-mongo ${tool}`))).toEqual([])
  })
})
