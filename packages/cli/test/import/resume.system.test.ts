import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { buildProgram } from '../built-modules.ts'
import { sourceEnv } from '../linked-project.ts'
import { createImportProject, type ImportProject } from './import-project.ts'

const program = buildProgram()
const args = ['import', 'posts', 'posts.csv']

// In its own process group, with which the application is killed as well.
function start({ root }: ImportProject, more: readonly string[] = []): ChildProcess {
  return spawn(process.execPath, [program, ...args, ...more], {
    cwd: root,
    env: { PATH: process.env['PATH'], HOME: process.env['HOME'], ...sourceEnv },
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
}

function writeLines(project: ImportProject, count: number): readonly string[] {
  const titles = Array.from({ length: count }, (_, index) => `Title ${index}`)
  // Each 50th line is rejected.
  const lines = titles.map((title, index) => `${title},${index % 50 === 7 ? 'x' : index}`)
  project.write('posts.csv', ['title,views', ...lines, ''].join('\n'))
  return titles.filter((_, index) => index % 50 !== 7)
}

function readState({ root }: ImportProject): Readonly<Record<string, unknown>> {
  return JSON.parse(readFileSync(join(root, 'posts.csv.import.json'), 'utf8'))
}

async function waitForState({ root }: ImportProject, child: ChildProcess): Promise<void> {
  while (!existsSync(join(root, 'posts.csv.import.json')) && child.exitCode === null) await sleep(5)
}

async function waitForProgress(
  project: ImportProject,
  child: ChildProcess,
  done: number,
): Promise<void> {
  while (readState(project)['done'] === done && child.exitCode === null) await sleep(5)
}

const kills = Number(process.env['IMPORT_KILLS'] ?? 5)

describe('an interrupted import', () => {
  it('creates each document once after it was killed at random times', async () => {
    const project = await createImportProject(['posts', 'title:string', 'views:int'])
    const titles = writeLines(project, 16_000)
    let killed = 0
    let done = -1
    while (killed < kills) {
      const child = start(project)
      const exited = once(child, 'exit')
      await waitForState(project, child)
      // Until this run has begun to write, its time is that of its start.
      if (killed > 0) await waitForProgress(project, child, done)
      await sleep(Math.random() * 40)
      // Half of the time, the application survives the command for a moment.
      if (child.pid !== undefined)
        process.kill(killed % 2 === 0 ? -child.pid : child.pid, 'SIGKILL')
      await exited
      killed += 1
      const state = readState(project)
      expect(state['isFinished']).toBe(false)
      done = Number(state['done'])
    }
    expect(done).toBeGreaterThan(0)
    const { code, stdout } = await project.api(args)
    expect(stdout).toContain('of an earlier run')
    expect(code).toBe(1)
    const stored = await project.list('/api/posts')
    expect(stored.map(({ title }) => title)).toEqual(titles)
    expect(readState(project)).toMatchObject({ done: 16_000, created: 15_680, rejected: 320 })
    const rejected = readFileSync(join(project.root, 'posts.rejected.csv'), 'utf8')
    expect(rejected.trimEnd().split('\r\n')).toHaveLength(321)
  })

  it('ends the requests in flight after a signal, and says how to continue', async () => {
    const project = await createImportProject(['posts', 'title:string', 'views:int'])
    const titles = writeLines(project, 3000)
    const child = start(project)
    const exited = once(child, 'exit')
    const printed: Buffer[] = []
    child.stderr?.on('data', (chunk: Buffer) => printed.push(chunk))
    await waitForState(project, child)
    while (readState(project)['done'] === 0) await sleep(5)
    // As a terminal does: to all processes.
    if (child.pid !== undefined) process.kill(-child.pid, 'SIGINT')
    expect(await exited).toEqual([130, null])
    expect(Buffer.concat(printed).toString()).toMatch(
      /next: stopped after \d+ lines; to continue, run the same command again/,
    )
    const { stdout } = await project.api(args)
    expect(stdout).toContain('of an earlier run')
    const stored = await project.list('/api/posts')
    expect(stored.map(({ title }) => title)).toEqual(titles)
  })

  it('is not begun a second time while it runs', async () => {
    const project = await createImportProject(['posts', 'title:string', 'views:int'])
    const titles = writeLines(project, 2000)
    const runs = [start(project), start(project), start(project)].map(async (child) => {
      let text = ''
      child.stderr?.on('data', (chunk) => (text += String(chunk)))
      const [code] = await once(child, 'close')
      return { code, isRefused: text.includes('imports this file; nothing was written') }
    })
    const results = await Promise.all(runs)
    expect(results.filter(({ isRefused }) => isRefused)).toHaveLength(2)
    expect(results.every(({ code }) => code === 1)).toBe(true)
    const stored = await project.list('/api/posts')
    expect(stored.map(({ title }) => title)).toEqual(titles)
    expect(existsSync(join(project.root, 'posts.csv.import.json.lock'))).toBe(false)
  })

  it('ends after an application that could not start', async () => {
    const project = await createImportProject(['posts', 'title:string'])
    project.write('posts.csv', 'title\nOne\n')
    const app = join(project.root, 'src/app.js')
    const code = readFileSync(app, 'utf8')
    const endings = [
      [code, ['--as', 'absent@example.org']],
      [code.replace('  routes,', '  routes,\n  auth: false,'), ['--as', 'absent@example.org']],
      [`${code}\nsetInterval(() => {}, 1000)\nthrow new Error('no license')\n`, []],
    ] as const
    for (const [text, more] of endings) {
      writeFileSync(app, text)
      expect(await once(start(project, more), 'close')).toEqual([1, null])
    }
  })

  it('warns when the ids are not known before the documents are created', async () => {
    const project = await createImportProject(['posts', 'title:string', 'views:int'])
    const routes = join(project.root, 'src/resources/posts/posts.routes.js')
    const source = readFileSync(routes, 'utf8')
    rmSync(routes)
    project.write(
      'src/resources/posts/posts.routes.js',
      source.replace(', model: PostModel', '').replace(/^import \{ PostModel.*\n/m, ''),
    )
    project.write('posts.csv', 'title,views\nOne,1\n')
    const { stderr, code } = await project.api(args)
    expect(stderr).toContain('continuing it can create up to 8 documents twice')
    expect(code).toBe(0)
  })

  it('rejects a file of progress that is none', async () => {
    const project = await createImportProject(['posts', 'title:string'])
    project.write('posts.csv', 'title\nOne\n')
    project.write('posts.csv.import.json', '{')
    const { stderr, code } = await project.api(args)
    expect(stderr).toContain('posts.csv.import.json is not the progress of an import')
    expect(code).toBe(3)
    expect((await project.api([...args, '--restart'])).code).toBe(0)
  })
})
