// @ts-check
// Installs the clients of MongoDB that checks/test/clients runs: mongosh, MongoDB's MCP server, PyMongo and a
// program with the Go driver; and generators of clients in Python and Go for checks/test/openapi. The tests of one that
// cannot be installed are skipped.
import { spawnSync } from 'node:child_process'
import { existsSync, statSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'

const folder = fileURLToPath(new URL('../../checks/test/clients', import.meta.url))
// Neither needs its optional packages, which are binaries of 200 MB.
const npm = ['ci', '--omit=optional', '--ignore-scripts', '--no-audit', '--no-fund']
const pip = ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check']

// npm first: it empties node_modules.
install('node_modules/.package-lock.json', 'package-lock.json', ['npm', ...npm])
const target = 'node_modules/.python'
install(target, 'requirements.txt', [
  'python3',
  ...pip,
  '--target',
  target,
  '-r',
  'requirements.txt',
])
const program = 'node_modules/.go/client'
install(program, 'client.go', ['go', 'build', '-o', program, '.'])
const generator = 'node_modules/.go/oapi-codegen'
const generatorSource = 'github.com/oapi-codegen/oapi-codegen/v2/cmd/oapi-codegen'
install(generator, 'go.mod', ['go', 'build', '-o', generator, generatorSource])

/**
 * @param {string} result
 * @param {string} source
 * @param {string[]} line
 */
function install(result, source, [command = '', ...args]) {
  const [installed, wanted] = [result, source].map((name) => path.join(folder, name))
  if (!installed || !wanted) return
  if (existsSync(installed) && statSync(installed).mtimeMs >= statSync(wanted).mtimeMs) return
  const { status, error } = spawnSync(command, args, { cwd: folder, stdio: 'inherit' })
  if (status !== 0) console.log(`not installed: ${source} (${error?.message ?? command})`)
}
