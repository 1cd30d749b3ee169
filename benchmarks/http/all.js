// The whole benchmark on every version of Node it is stated for, then the chart and
// the figures of docs/performance.md: node http/all.js
// Options are those of run.js, for each version.
import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { installNodes, toNodePath } from '../../scripts/check/node-versions.js'

const versions = ['20', '24']

installNodes(versions)
for (const version of versions) {
  run('run.js', '--node', toNodePath(version), ...process.argv.slice(2))
}
run('chart.js')
run('figures.js')

function run(script, ...args) {
  const file = fileURLToPath(new URL(script, import.meta.url))
  const { status } = spawnSync(process.execPath, [file, ...args], { stdio: 'inherit' })
  if (status !== 0) process.exit(status ?? 1)
}
