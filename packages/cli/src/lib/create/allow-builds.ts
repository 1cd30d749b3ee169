import { join } from 'node:path'
import { isMap, parseDocument } from 'yaml'
import { type WantedFile } from '../files/change.ts'
import { readText } from '../files/plan.ts'

const settings = 'pnpm-workspace.yaml'

// pnpm ends an installation with an error if a package has an install script that its settings neither allow nor
// forbid. The packages are those of the same file in a project without a workspace.
export function allowBuilds(workspace: string): readonly WantedFile[] {
  const before = readText(join(workspace, settings))
  const document = parseDocument(before ?? '')
  if (before === undefined || document.errors.length > 0) return []
  if (document.hasIn(['allowBuilds', 'esbuild'])) return []
  return [
    { kind: 'edit', path: settings, before, text: edit(before), detail: '+allowBuilds.esbuild' },
  ]
}

function edit(before: string): string {
  const document = parseDocument(before)
  const { contents } = document
  const isBlock = contents === null || (isMap(contents) && contents.flow !== true)
  // Adding lines leaves the others as they are.
  if (isBlock && !document.has('allowBuilds')) {
    const end = before === '' || before.endsWith('\n') ? '' : '\n'
    return `${before}${end}allowBuilds:\n  esbuild: true\n`
  }
  document.setIn(['allowBuilds', 'esbuild'], true)
  return document.toString({ lineWidth: 0 })
}
