// Makes the pictures of the documentation in docs/images: the page /docs of the blog, and a terminal in which a project is
// created. `npm run source -- checks/screenshots.ts`, after `npm run build`.
import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { type Page } from 'playwright-core'
import { startBrowser } from './test/client/browser.ts'

const root = path.resolve(import.meta.dirname, '..')
const pictures = path.join(root, 'docs/images')
const commands = [
  'npx create-api my-service --yes --no-install --no-git',
  'npx api generate resource posts title:string body:text published:boolean:default=false',
]

mkdirSync(pictures, { recursive: true })
const browser = await startBrowser()
const page = await browser.context.newPage()
try {
  await takePage(page)
  await takeTerminal(page)
} finally {
  await browser.stop()
}

async function takePage(target: Page): Promise<void> {
  process.env['MONGODB_URI'] = 'embedded:memory'
  process.env['ACCESS_LOG'] = 'off'
  const { api } = await import('../examples/blog/src/app.js')
  const { url } = await api.start({ port: 3000, signals: false })
  await target.setViewportSize({ width: 1200, height: 760 })
  await target.goto(`${url}/docs`)
  const operation = target.getByText('/api/posts', { exact: true }).first()
  await operation.click()
  await operation.scrollIntoViewIfNeeded()
  await operation.evaluate((element) => element.scrollIntoView({ block: 'start' }))
  await save(target, 'docs-page.png')
  await api.stop()
}

async function takeTerminal(target: Page): Promise<void> {
  const folder = mkdtempSync(path.join(tmpdir(), 'create-api-terminal-'))
  const lines = [
    run(commands[0] ?? '', folder),
    run(commands[1] ?? '', path.join(folder, 'my-service')),
  ]
  rmSync(folder, { recursive: true })
  // The page before it allows no inline styles.
  await target.goto('about:blank')
  await target.setViewportSize({ width: 900, height: 600 })
  const text = lines.map(([command, output]) => `<b>$ ${escape(command)}</b>\n${escape(output)}\n`)
  await target.setContent(`<style>
    body { margin: 0; background: #1b1b1f; color: #dfdfd6; font: 14px/1.5 monospace }
    pre { margin: 0; padding: 16px 24px }
    b { color: #a8b1ff; font-weight: normal }
  </style><pre>${text.join('')}</pre>`)
  const { height = 600 } = (await target.locator('pre').boundingBox()) ?? {}
  await target.setViewportSize({ width: 900, height: Math.ceil(height) })
  await save(target, 'terminal.png')
}

// What a command prints, with times that are the same on every machine.
function run(command: string, cwd: string): [command: string, output: string] {
  const [, name = '', ...args] = command.split(' ')
  const program = path.join(root, `packages/cli/dist/${name}.js`)
  const output = execFileSync(process.execPath, [program, ...args], { cwd, encoding: 'utf8' })
  return [command, output.replaceAll(/\d+\.\d s/g, '0.5 s')]
}

async function save(target: Page, name: string): Promise<void> {
  const file = path.join(pictures, name)
  await target.screenshot({ path: file })
  process.stdout.write(`docs/images/${name}, ${Math.round(statSync(file).size / 1000)} kB\n`)
}

function escape(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;')
}
