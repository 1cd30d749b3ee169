import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { CliError } from '../../src/lib/errors/cli-error.ts'
import { loadModel } from '../../src/lib/infer/load-model.ts'
import { readModel } from '../../src/lib/models/read-model.ts'
import { readProject } from '../../src/lib/project/open-project.ts'
import { createLinkedJavaScript, sourceEnv } from '../linked-project.ts'
import { fields, models } from './features.ts'

const page = fileURLToPath(new URL('../../../../docs/existing-models.md', import.meta.url))

const source = `import { model, Schema } from 'mongoose'

const tree = new Schema({ name: String })
tree.add({ children: [tree] })
const shapes = new Schema({ name: String }, { discriminatorKey: 'kind' })
shapes.discriminator('Circle', new Schema({ radius: Number }), 'circle')

export const Fields = model('Fields', new Schema({
${fields.map(({ code }, index) => `  f${index}: ${code},`).join('\n')}
}))
${models.map(({ schema }, index) => `export const M${index} = model('M${index}', ${schema})`).join('\n')}
`

it('docs/existing-models.md states what becomes of each part of a schema', async () => {
  const root = await createLinkedJavaScript()
  writeFileSync(join(root, 'model.js'), source)
  const project = readProject(root)
  const surroundings = { cwd: root, env: { PATH: process.env['PATH'], ...sourceEnv } }
  const read = async (name: string) => {
    const request = { fromModel: `model.js#${name}`, name: 'things' }
    return readModel((await loadModel(project, request, surroundings)).description).findings
  }

  const found = await read('Fields')
  const rows = fields.map(({ feature, path = '' }, index) => {
    const name = path === '' ? `f${index}` : `f${index}.${path}`
    const own = found.filter((finding) => finding.path === name)
    requireSome(feature, own)
    return toRow(feature, own.at(-1)?.state ?? '', own.map(({ detail }) => detail).join('; '))
  })
  for (const [index, { feature, path }] of models.entries()) {
    if (path === '') {
      const error: unknown = await read(`M${index}`).catch((reason: unknown) => reason)
      const message =
        error instanceof CliError ? error.message.replace(/^model\.js(:\d+)?: /, '') : ''
      requireSome(feature, message)
      rows.push(toRow(feature, 'refused', message))
    } else {
      const own = (await read(`M${index}`)).filter((finding) => finding.path === path)
      requireSome(feature, own)
      rows.push(toRow(feature, own.at(-1)?.state ?? '', own.at(-1)?.detail ?? ''))
    }
  }

  const table = ['| Part | State | Result |', '| --- | --- | --- |', ...rows]
  const before = readFileSync(page, 'utf8')
  if (process.env['UPDATE_DOCS'] === '1') {
    const text = `<!-- features -->\n\n${table.join('\n')}\n\n<!-- /features -->`
    writeFileSync(
      page,
      before.replace(/<!-- features -->[^]*<!-- \/features -->/, () => text),
    )
    return
  }
  expect(readTable(before)).toEqual(table.map(toCells))
})

function requireSome(feature: string, found: { readonly length: number }): void {
  if (found.length === 0) throw new Error(`nothing is reported about ${feature}`)
}

function toRow(feature: string, state: string, detail: string): string {
  const isCode = /^(z\.|objectId|instant|decimal)/.test(detail) && !detail.includes(';')
  const text = detail.replaceAll('|', '\\|')
  return `| ${feature} | ${state} | ${isCode ? `\`${text}\`` : text} |`
}

// A formatter sets the width of the columns.
function readTable(text: string): readonly (readonly string[])[] {
  const [, part = ''] = text.split(/<!-- \/?features -->/)
  return part
    .trim()
    .split('\n')
    .map((line) => toCells(line.replaceAll(/-{3,}/g, '---')))
}

function toCells(line: string): readonly string[] {
  return line
    .split(/(?<!\\)\|/)
    .map((cell) => cell.trim())
    .filter((cell) => cell !== '')
}
