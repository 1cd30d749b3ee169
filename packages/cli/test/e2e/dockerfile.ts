import { cpSync, existsSync, mkdirSync, readFileSync } from 'node:fs'
import { basename, join, relative } from 'node:path'
import { type Machine } from './user-machine.ts'

/** One instruction of a Dockerfile. */
export interface Instruction {
  readonly name: string
  readonly rest: string
}

/**
 * Reads a Dockerfile that has one instruction a line.
 *
 * @param file the Dockerfile
 * @returns its instructions
 */
export function readDockerfile(file: string): readonly Instruction[] {
  const lines = readFileSync(file, 'utf8').split('\n')
  return lines
    .filter((line) => line.trim() !== '' && !line.startsWith('#'))
    .map((line) => {
      const [name = '', ...rest] = line.split(' ')
      return { name, rest: rest.join(' ') }
    })
}

/**
 * Does what `docker build` would do, without Docker: each stage is a folder. The base image is this
 * machine; what is installed into it globally is left out.
 *
 * @param machine where the commands are run
 * @param project the build context
 * @param dockerfile its path in the context
 * @returns the working directory of the last stage
 */
export async function buildImage(
  machine: Machine,
  project: string,
  dockerfile = 'Dockerfile',
): Promise<string> {
  const ignored = readIgnored(project, dockerfile)
  const stages = new Map<string, string>()
  let stage = ''
  let workdir = ''
  for (const { name, rest } of readDockerfile(join(project, dockerfile))) {
    if (name === 'FROM') {
      const alias = / AS (\w+)$/.exec(rest)?.[1] ?? 'last'
      stage = join(machine.folder, `image-${alias}`)
      stages.set(alias, stage)
      mkdirSync(stage)
    }
    if (name === 'WORKDIR') workdir = join(stage, rest.replace(/^\/app/, ''))
    if (name === 'COPY') copy(rest)
    if (name === 'RUN' && !rest.includes('--global')) await runStep(machine, rest, stage)
  }
  return workdir

  function copy(rest: string): void {
    const words = rest.split(' ')
    const from = words[0]?.startsWith('--from=')
      ? stages.get(words.shift()?.slice(7) ?? '')
      : project
    const to = words.pop() ?? '.'
    for (const word of words) {
      // A path inside another stage is absolute there: /app is its folder.
      const source = join(from ?? project, word.replace(/^\/app(\/|$)/, ''))
      const own = to.replace(/^\/app(\/|$)/, '')
      const target = to.endsWith('./')
        ? join(stage, word.split('/').at(-1) ?? '')
        : join(stage, own)
      cpSync(source, word === '.' ? stage : target, {
        recursive: true,
        verbatimSymlinks: true,
        filter: (path) => from !== project || !ignored(relative(project, path)),
      })
    }
  }
}

// A pattern is a path, or with `**/` a name in every folder; its last part may have a `*`.
function readIgnored(project: string, dockerfile: string): (path: string) => boolean {
  const own = join(project, `${dockerfile}.dockerignore`)
  const file = existsSync(own) ? own : join(project, '.dockerignore')
  const tests = readFileSync(file, 'utf8')
    .split('\n')
    .filter(Boolean)
    .map((line) => {
      const name = line.replace('**/', '')
      const pattern = new RegExp(`^${name.replaceAll('.', '\\.').replaceAll('*', '.*')}$`)
      return (path: string) => pattern.test(line.startsWith('**/') ? basename(path) : path)
    })
  return (path) => tests.some((matches) => matches(path))
}

async function runStep(machine: Machine, line: string, cwd: string): Promise<void> {
  const { code, stderr, stdout } = await machine.run(line, cwd)
  // A registry that lacks the binaries of other systems gives a lock file that npm ci refuses; that
  // is not the fault of the project.
  const isIncomplete = /^npm error Missing: \S+@ from lock file$/m.test(stderr)
  if (isIncomplete) return runStep(machine, line.replace('npm ci', 'npm install'), cwd)
  if (code !== 0) throw new Error(`RUN ${line}: exit ${code}\n${stdout}${stderr}`)
}
