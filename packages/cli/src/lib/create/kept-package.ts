import { type Change } from '../files/change.ts'
import { parsePackageJson } from '../project/package-json.ts'
import { quoteForShell } from '../terminal/quote-for-shell.ts'
import { type Note } from '../terminal/reporter.ts'

// A package.json that was there before is kept, also where it lacks what the project needs.
export function describeKeptPackage(
  changes: readonly Change[],
  { dir, install }: { readonly dir: string; readonly install: string },
): readonly Note[] {
  const kept = changes.find(({ action, path }) => action === 'keep' && path === 'package.json')
  const missing = kept === undefined ? [] : findMissing(kept)
  if (missing.length === 0) return []
  return [
    {
      kind: 'note',
      code: 'KEPT_PACKAGE',
      message: `package.json was kept and lacks what the project needs; to add it, in ${dir}:`,
      commands: [`npm pkg set ${missing.map((word) => quoteForShell(word)).join(' ')}`, install],
    },
  ]
}

// As words of `npm pkg set`.
function findMissing({ after, before }: Change): readonly string[] {
  const has = parsePackageJson(before)
  const needs = parsePackageJson(after)
  const packages = { ...has.dependencies, ...has.devDependencies }
  const list = (key: 'scripts' | 'dependencies' | 'devDependencies', present: object = {}) =>
    Object.entries(needs[key] ?? {})
      .filter(([name]) => !Object.hasOwn(present, name))
      .map(([name, value]) => `${key}.${name}=${value}`)
  return [
    ...(has.type === needs.type ? [] : [`type=${needs.type}`]),
    ...list('scripts', has.scripts),
    ...list('dependencies', packages),
    ...list('devDependencies', packages),
  ]
}
