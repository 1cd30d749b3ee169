// @ts-check
// Checks that imports follow the rules of checks/dependency-cruiser.js, and that docs/architecture.md
// states these rules and names only files that exist.
import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { layers } from '../../checks/dependency-cruiser.js'
import { toolPath } from './tool-path.js'

const root = fileURLToPath(new URL('../..', import.meta.url))
const core = 'packages/core/src/lib'
const text = readFileSync(path.join(root, 'docs/architecture.md'), 'utf8')

const problems = [...findMissingFiles(), ...findUnstatedRules(), ...findUnlayeredFolders()]
for (const problem of problems) console.error(`docs/architecture.md: ${problem}`)
const cruise = spawnSync(
  'depcruise',
  [
    'packages/core/src',
    'packages/cli/src',
    'packages/embedded-mongo/src',
    'packages/client/src',
    'packages/jobs/src',
    'packages/mcp/src',
    'packages/openapi-diff/src',
    'packages/sign-in/src',
    'packages/webhooks/src',
    '--config',
    'checks/dependency-cruiser.js',
    '--output-type',
    'err',
  ],
  { cwd: root, env: { ...process.env, PATH: toolPath() }, stdio: 'inherit' },
)
process.exitCode = problems.length > 0 || cruise.status !== 0 ? 1 : 0

// A code block that begins with a folder names files below it.
function findMissingFiles() {
  const blocks = [
    ...text.matchAll(/^```\n((?:packages|templates|examples|docs)\S*).*\n([\s\S]*?)^```/gm),
  ]
  if (blocks.length === 0) return ['names no files']
  return blocks.flatMap(([, folder = '', block = '']) =>
    [...block.matchAll(/(?<![\w/.-])([\w-]+(?:\/[\w-]+)*(?:\.[\w-]+)*\.(?:ts|hbs|md))\b/g)]
      .map(([, file = '']) => path.join(folder, file))
      .filter((file) => !existsSync(path.join(root, file)))
      .map((file) => `${file} does not exist`),
  )
}

function findUnstatedRules() {
  return Object.entries(layers)
    .map(([parent, rows]) => `${parent}: ${rows.map((row) => row.join(', ')).join(' → ')}`)
    .filter((rule) => !text.replaceAll(/\s+/g, ' ').includes(rule))
    .map((rule) => `does not state the enforced rule "${rule}"`)
}

function findUnlayeredFolders() {
  return Object.entries(layers).flatMap(([parent, rows]) => {
    const known = new Set(rows.flat())
    const folders = readdirSync(path.join(root, parent), { withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .map((entry) => entry.name)
    const described = parent.startsWith(core) ? folders : []
    return [
      ...folders
        .filter((folder) => !known.has(folder))
        .map((folder) => `${parent}/${folder} has no layer in checks/dependency-cruiser.js`),
      ...described
        .map((folder) => path.posix.relative(core, `${parent}/${folder}`))
        .filter((folder) => !text.includes(`\n| \`${folder}\` `))
        .map((folder) => `has no row for ${core}/${folder}`),
    ]
  })
}
