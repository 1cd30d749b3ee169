import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { type Readable } from 'node:stream'

const root = path.resolve(import.meta.dirname, '../..')

/** A fenced block of a page: its language, the name in brackets after it, and its lines. */
interface Block {
  readonly language: string
  readonly file: string | undefined
  readonly text: string
}

/** Runs the pages of the documentation in one folder, as a reader would. */
export class PageRunner {
  readonly #port: string
  #folder: string
  #output = ''
  #server: ChildProcess | undefined
  #changed = false
  readonly #variables: Record<string, string> = {}

  constructor(folder: string, port: string) {
    this.#folder = folder
    this.#port = port
  }

  /**
   * Runs every block of a page. `sh` is a command that must succeed, and the block after it what it
   * prints, with … for any text. A block with the name of a file is its content, or for `diff` a change.
   */
  async run(page: string): Promise<number> {
    return this.runText(readFileSync(path.join(root, page), 'utf8'))
  }

  async runText(text: string): Promise<number> {
    const blocks = parseBlocks(text)
    for (const block of blocks) await this.#runBlock(block)
    return blocks.length
  }

  /** Stops the service that a page has started. */
  async stop(): Promise<void> {
    const server = this.#server
    this.#server = undefined
    if (!server?.pid || server.exitCode !== null) return
    const exited = once(server, 'exit')
    process.kill(-server.pid, 'SIGTERM')
    await exited
  }

  async #runBlock({ language, file, text }: Block): Promise<void> {
    if (language === 'sh') await this.#runCommands(text)
    else if (file !== undefined && language === 'diff') this.#change(file, text)
    else if (file !== undefined) this.#write(file, text)
    else if (language === 'json') expectJson(this.#output, text)
    else if (language === 'text') expectLines(this.#output, text)
    else throw new Error(`A block is neither run nor compared: ${language}\n${text}`)
  }

  async #runCommands(text: string): Promise<void> {
    this.#output = ''
    for (const command of text.replaceAll('\\\n', '').trim().split('\n'))
      await this.#runCommand(command)
  }

  async #runCommand(command: string): Promise<void> {
    const [, variable, value = ''] = /^([A-Z]+)=\$\((.*)\)$/.exec(command) ?? []
    if (command.includes('curl ')) await this.#restartServer()
    if (command === 'npm run dev') await this.#startServer()
    else if (command.startsWith('npm create api@latest ')) this.#createProject(command)
    else if (command.startsWith('npm install @create-api/')) this.#addPackages(command)
    else if (command.startsWith('cd ')) this.#folder = path.join(this.#folder, command.slice(3))
    else if (variable) this.#variables[variable] = this.#execute(value).trim()
    else this.#output += this.#execute(command)
  }

  // The service also restarts by itself, but not at a known time.
  async #restartServer(): Promise<void> {
    if (this.#changed) await this.#startServer()
  }

  #execute(command: string): string {
    if (command.startsWith('npx api ')) this.#changed = true
    const script = command.replaceAll('localhost:3000', `localhost:${this.#port}`)
    const { status, stderr, stdout } = spawnSync('bash', ['-c', script], {
      cwd: this.#folder,
      env: this.#environment(),
      encoding: 'utf8',
    })
    if (status !== 0) throw new Error(`${command}\n${stdout}\n${stderr}`)
    return stdout
  }

  // What npm would install is this repository.
  #createProject(command: string): void {
    const [, name = '', flags = ''] =
      /^npm create api@latest (\S+)(?: -- (.*))?$/.exec(command) ?? []
    const program = path.join(root, 'packages/cli/dist/create-api.js')
    this.#output = this.#execute(`node ${program} ${name} --yes --no-install ${flags}`)
    symlinkSync(path.join(root, 'node_modules'), path.join(this.#folder, name, 'node_modules'))
  }

  #addPackages(command: string): void {
    const packages = command.split(' ').slice(2)
    this.#execute(`npm pkg set ${packages.map((name) => `dependencies.${name}=0.1.0`).join(' ')}`)
    this.#changed = true
  }

  async #startServer(): Promise<void> {
    await this.stop()
    this.#changed = false
    const server = spawn('npm', ['run', 'dev'], {
      cwd: this.#folder,
      env: { ...this.#environment(), PORT: this.#port },
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    this.#server = server
    let errors = ''
    server.stderr.setEncoding('utf8').on('data', (text: string) => (errors += text))
    for await (const line of readLines(server.stdout)) {
      this.#output += `${line}\n`
      if (line.includes(`http://localhost:${this.#port}`)) return void server.stdout.resume()
    }
    throw new Error(`The service does not start:\n${this.#output}${errors}`)
  }

  #environment(): NodeJS.ProcessEnv {
    const { PATH = '', HOME = '' } = process.env
    return { PATH, HOME, CI: 'true', NO_COLOR: '1', ...this.#variables }
  }

  #write(file: string, text: string): void {
    const target = path.join(this.#folder, file)
    mkdirSync(path.dirname(target), { recursive: true })
    this.#changed = true
    writeFileSync(target, text)
  }

  #change(file: string, text: string): void {
    const target = path.join(this.#folder, file)
    let content = readFileSync(target, 'utf8')
    for (const hunk of text.split(/^@@\n/m)) content = applyHunk(content, hunk, file)
    writeFileSync(target, content)
    this.#changed = true
  }
}

// Ends after a time, because the command waits for a change when the service has failed.
async function* readLines(stdout: Readable): AsyncGenerator<string> {
  const lines = createInterface({ input: stdout })
  const timer = setTimeout(() => lines.close(), 120_000)
  yield* lines
  clearTimeout(timer)
}

function parseBlocks(text: string): Block[] {
  return Array.from(
    text.matchAll(/^```(\w+)(?: \[(.+)\])?\n([\s\S]*?)^```$/gm),
    ([, language = '', file, content = '']) => ({ language, file, text: content }),
  )
}

function applyHunk(content: string, hunk: string, file: string): string {
  const lines = hunk.split('\n').slice(0, -1)
  const join = (sign: string): string =>
    lines
      .filter((line) => !line.startsWith(sign))
      .map((line) => `${line.slice(1)}\n`)
      .join('')
  const [before, after] = [join('+'), join('-')]
  const parts = content.split(before)
  if (parts.length !== 2)
    throw new Error(`${file} has these lines ${parts.length - 1} times:\n${before}`)
  return parts.join(after)
}

function toPattern(text: string): RegExp {
  return new RegExp(text.split('…').map(escape).join('.*'))
}

function escape(text: string): string {
  return text.replaceAll(/[\\^$.*+?()[\]{}|/]/g, String.raw`\$&`)
}

function expectJson(output: string, text: string): void {
  const received = JSON.stringify(JSON.parse(output.slice(output.indexOf('{'))), null, 2)
  const shown = JSON.stringify(JSON.parse(text), null, 2)
  if (!toPattern(shown).test(received)) throw new Error(`shown:\n${shown}\nreceived:\n${received}`)
}

function expectLines(output: string, text: string): void {
  for (const line of text.trim().split('\n')) {
    if (!toPattern(line.trim()).test(output))
      throw new Error(`not printed: ${line}\nin:\n${output}`)
  }
}
