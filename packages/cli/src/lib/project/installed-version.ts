import { join } from 'node:path'
import { readText } from '../files/plan.ts'

export function installedVersion(root: string, name: string): string {
  const text = readText(join(root, 'node_modules', name, 'package.json'))
  if (text === undefined) return 'not installed'
  const { version: installed }: { version: string } = JSON.parse(text)
  return installed
}
