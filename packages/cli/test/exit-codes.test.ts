import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { createApiProgram } from '../src/lib/programs/api-program.ts'
import { createProjectProgram } from '../src/lib/programs/create-program.ts'
import { type ProgramFactory } from '../src/lib/programs/run.ts'
import { createProject, createTemporaryFolder, runProgram, type World } from './run-program.ts'

interface Case {
  readonly exit: number
  /** The error of a failure. */
  readonly code?: string
  readonly args: readonly string[]
  readonly program?: ProgramFactory
  /** Makes the folder it is run in. */
  readonly world: () => Promise<World>
}

const project = async (): Promise<World> => ({ cwd: await createProject(['posts title:string']) })

async function editedProject(): Promise<World> {
  const world = await project()
  writeFileSync(join(world.cwd, 'src/resources/posts/posts.model.ts'), '// mine\n')
  return world
}

async function brokenRegistry(): Promise<World> {
  const world = await project()
  writeFileSync(join(world.cwd, 'src/routes.ts'), '// nothing\n')
  return world
}

async function notEmpty(): Promise<World> {
  const cwd = createTemporaryFolder()
  writeFileSync(join(cwd, 'mine.txt'), '')
  return { cwd }
}

// A package manager that cannot reach its registry.
const withoutNetwork = async (): Promise<World> => ({
  cwd: createTemporaryFolder(),
  env: { npm_config_registry: 'http://127.0.0.1:1/', npm_config_fetch_retries: '0' },
})

const create = createProjectProgram
const cases: readonly Case[] = [
  { exit: 0, args: ['generate', 'resource', 'tags'], world: project },
  { exit: 0, args: ['generate', 'resource', 'posts'], world: project },
  { exit: 1, args: ['generate', 'resource', 'tags', '--check'], world: project },
  { exit: 1, args: ['doctor'], world: project },
  { exit: 1, code: 'PROBLEMS_FOUND', args: ['routes'], world: project },
  { exit: 2, code: 'USAGE', args: ['genrate'], world: project },
  { exit: 2, code: 'USAGE', args: ['generate', 'resource', 'a', '--dry'], world: project },
  { exit: 2, code: 'INVALID_NAME', args: ['generate', 'resource', 'class'], world: project },
  { exit: 2, code: 'INVALID_FIELD', args: ['add', 'field', 'posts', 'a:b'], world: project },
  { exit: 2, code: 'UNKNOWN_FIELD', args: ['remove', 'field', 'posts', 'a'], world: project },
  { exit: 2, code: 'UNKNOWN_RESOURCE', args: ['destroy', 'resource', 'a'], world: project },
  { exit: 2, code: 'INVALID_DOCUMENT', args: ['openapi', '--check'], world: project },
  { exit: 2, code: 'USAGE', program: create, args: [], world: notEmpty },
  { exit: 5, code: 'NOT_ADOPTABLE', program: create, args: ['adopt', '--yes'], world: notEmpty },
  { exit: 3, code: 'CONFLICT', args: ['generate', 'resource', 'posts'], world: editedProject },
  { exit: 3, code: 'CONFLICT', args: ['destroy', 'resource', 'posts'], world: editedProject },
  { exit: 3, code: 'CONFLICT', args: ['add', 'field', 'posts', 'a:int'], world: editedProject },
  {
    exit: 3,
    code: 'TARGET_NOT_EMPTY',
    program: create,
    args: ['.', '--name', 'a'],
    world: notEmpty,
  },
  {
    exit: 4,
    code: 'REGISTRY_UNUSABLE',
    args: ['generate', 'resource', 'tags'],
    world: brokenRegistry,
  },
  { exit: 5, code: 'NOT_A_PROJECT', args: ['env'], world: notEmpty },
  {
    exit: 6,
    code: 'INSTALL_FAILED',
    program: create,
    args: ['a', '--no-git', '--pm', 'npm'],
    world: withoutNetwork,
  },
]

describe('GEN-09: exit codes', () => {
  it.each(cases)('$exit for $args', async ({ args, code, exit, program, world }) => {
    const run = runProgram(program ?? createApiProgram, [...args, '--json'], await world())
    const { code: ended, stdout } = await run
    expect(ended).toBe(exit)
    // One document, whatever happened.
    const document = JSON.parse(stdout)
    expect(document.ok).toBe(exit === 0)
    expect(document.error?.code).toBe(code)
    if (code !== undefined) expect(document.error.exit).toBe(exit)
  })
})
