import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { installedVersion } from '../project/package-json.ts'
import { type Project } from '../project/open-project.ts'
import { version } from '../package/own-package.ts'
import { ok, type Finding, problem, warning } from './findings.ts'

const shared = ['express', 'mongoose', 'zod']
const minNode = [20, 19] as const

export function checkPackages(project: Project): readonly Finding[] {
  return [
    checkNode(process.versions.node),
    checkVersions(project.root),
    ...checkCopies(project.root),
  ]
}

function checkNode(running: string): Finding {
  const [major = 0, minor = 0] = running.split('.').map(Number)
  const [minMajor, minMinor] = minNode
  const enough = major > minMajor || (major === minMajor && minor >= minMinor)
  const minimum = minNode.join('.')
  return enough
    ? ok(`Node.js ${running}`)
    : problem(`Node.js ${running} is older than ${minimum}`, `install ${minimum} or newer`)
}

function checkVersions(root: string): Finding {
  const core = installedVersion(root, '@create-api/core')
  if (core === 'not installed') return problem('@create-api/core is not installed', 'npm install')
  const embedded = installedVersion(root, '@create-api/embedded-mongo')
  const found = Object.entries({ '@create-api/core': core, '@create-api/embedded-mongo': embedded })
  const other = found.find(([, one]) => one !== version && one !== 'not installed')
  if (other === undefined) return ok(`create-api and @create-api/core are both ${version}`)
  return problem(`create-api is ${version}, ${other.join(' is ')}`, 'install the same version')
}

// Each copy of mongoose has its own models, and each copy of zod rejects the schemas of another.
function checkCopies(root: string): readonly Finding[] {
  return shared.map((name) => {
    const copies = findCopies(join(root, 'node_modules'), name, 0)
    if (copies > 1) return problem(`there are ${copies} copies of ${name}`, `npm dedupe ${name}`)
    return copies === 1
      ? ok(`one copy of ${name}`)
      : warning(`${name} is not in node_modules`, 'npm install')
  })
}

function findCopies(folder: string, name: string, depth: number): number {
  if (depth > 3 || !existsSync(folder)) return 0
  const here = existsSync(join(folder, name, 'package.json')) ? 1 : 0
  const packages = readdirSync(folder).flatMap((entry) =>
    entry.startsWith('@')
      ? readdirSync(join(folder, entry)).map((child) => join(entry, child))
      : [entry],
  )
  return packages.reduce(
    (sum, entry) => sum + findCopies(join(folder, entry, 'node_modules'), name, depth + 1),
    here,
  )
}
