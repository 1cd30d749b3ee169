// @ts-check
// Packs the published packages into node_modules/.cache/tarballs, where create-api finds them when it
// runs from this repository instead of an installation. Usage: npm run build
import { execFileSync } from 'node:child_process'
import { mkdirSync, rmSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../..', import.meta.url))
const destination = 'node_modules/.cache/tarballs'
const folders = [
  'packages/core',
  'packages/cli',
  'packages/client',
  'packages/embedded-mongo',
  'packages/jobs',
  'packages/mcp',
  'packages/sign-in',
  'packages/webhooks',
  'templates',
]
const npm = process.env['npm_execpath']
if (npm === undefined) throw new Error('Run this through npm: npm run build')

rmSync(`${root}/${destination}`, { recursive: true, force: true })
mkdirSync(`${root}/${destination}`, { recursive: true })
const workspaces = folders.flatMap((folder) => ['-w', folder])
const args = [npm, 'pack', '--ignore-scripts', '--silent', '--pack-destination', destination]
execFileSync(process.execPath, [...args, ...workspaces], { cwd: root })
