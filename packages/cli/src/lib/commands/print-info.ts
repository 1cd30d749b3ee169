import { arch, platform, release } from 'node:os'
import { installedVersion } from '../project/package-json.ts'
import { openProject } from '../project/open-project.ts'
import { type CommandContext } from '../terminal/command-context.ts'
import { type Outcome } from '../terminal/reporter.ts'
import { packageName, version } from '../package/own-package.ts'

const packages = [
  '@create-api/core',
  '@create-api/embedded-mongo',
  'express',
  'mongoose',
  'zod',
  'typescript',
  'vitest',
]

export async function printInfo(_options: object, context: CommandContext): Promise<Outcome> {
  const { manifest, root } = openProject(context.cwd)
  const versions: Record<string, string> = {
    [packageName]: version,
    node: process.version,
    system: `${platform()} ${release()} ${arch()}`,
    'created by': manifest.cli,
  }
  for (const name of packages) versions[name] = installedVersion(root, name)
  return {
    json: { command: 'info', versions, resources: Object.keys(manifest.resources) },
    lines: Object.entries(versions).map(([name, text]) => `  ${name.padEnd(28)}${text}`),
    notes: [],
  }
}
