// @ts-check
// Copies the documentation and its index into the package of the command line, so that a project has those of its version.
// Usage: npm run build
import { cpSync, mkdirSync, rmSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { sections } from '../../docs/.vitepress/sections.js'

const docs = fileURLToPath(new URL('../../docs', import.meta.url))
const target = fileURLToPath(new URL('../../packages/cli/docs', import.meta.url))

rmSync(target, { recursive: true, force: true })
for (const [, page] of sections.flatMap(({ pages }) => pages)) {
  const file = `${page}.md`
  mkdirSync(path.dirname(path.join(target, file)), { recursive: true })
  cpSync(path.join(docs, file), path.join(target, file))
}
cpSync(path.join(docs, 'llms.txt'), path.join(target, 'llms.txt'))
