import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { type PackageManager } from './package-manager.ts'
import { type ProgramResult, runProgram, type SpawnOptions, withoutVariables } from './spawn.ts'

export function installDependencies(
  manager: PackageManager,
  options: SpawnOptions,
): Promise<ProgramResult> {
  const [command, ...first] = toCommand(manager, options.env)
  const env = withoutVariables(options.env, scriptVariables)
  return runProgram(command, [...first, ...manager.install], { cwd: options.cwd, env })
}

// Windows cannot run npm.cmd without a shell, but it can run npm's JavaScript.
function toCommand(
  manager: PackageManager,
  env: SpawnOptions['env'],
): readonly [string, ...string[]] {
  const started = env['npm_execpath']
  const agent = env['npm_config_user_agent'] ?? ''
  const isScript = started !== undefined && /\.[cm]?js$/.test(started) && existsSync(started)
  if (isScript && agent.startsWith(`${manager.name}/`)) {
    // npx-cli.js is next to npm-cli.js.
    return [process.execPath, started.replace(/npx-cli\.js$/, 'npm-cli.js')]
  }
  const bundled = join(dirname(process.execPath), 'node_modules', 'npm', 'bin', 'npm-cli.js')
  if (manager.name === 'npm' && process.platform === 'win32' && existsSync(bundled)) {
    return [process.execPath, bundled]
  }
  return [manager.name]
}

// They describe the package that started this process, not the new project.
const scriptVariables =
  /^(npm_package_|npm_lifecycle_|npm_config_(local_prefix|package|call|workspace)|INIT_CWD$)/
