import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const toPath = (file: string): string => fileURLToPath(new URL(`../../../${file}`, import.meta.url))
const ofProjects = toPath('checks/node_modules/typescript-7/bin/tsc')
const hasChecks = existsSync(ofProjects)

/** The compiler that new projects install; without the dependencies of `checks/`, that of this repository. */
export const tsc = hasChecks ? ofProjects : toPath('node_modules/typescript/bin/tsc')
const flags = [
  // Each of several checkers compares the types of Mongoose anew, which is most of the work.
  ...(hasChecks ? ['--checkers', '1'] : []),
  '--noEmit',
  '--incremental',
  'false',
  '--noUnusedLocals',
  '--noUnusedParameters',
  '--preserveSymlinks',
]

/** Returns what TypeScript reports about the files of a project, with these flags: `src/app.ts: message`. */
export function compile(root: string): string[] {
  const args = [tsc, '--project', root, '--pretty', 'false', ...flags]
  const { status, stderr, stdout } = spawnSync(process.execPath, args, {
    cwd: root,
    encoding: 'utf8',
    maxBuffer: 1e9,
  })
  if (status === null || stderr !== '') throw new Error(`tsc did not run: ${stderr}`)
  return stdout
    .split(/\n(?! )/)
    .map((line) => line.replace(/\(\d+,\d+\): error TS\d+/, '').trimEnd())
    .filter((line) => line !== '' && !/^(node_modules|\.\.)\//.test(line))
}
