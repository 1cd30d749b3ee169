import { build } from 'esbuild'
import { accessSync, constants, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { type BrowserContext, chromium } from 'playwright-core'

/** Path of Chromium; undefined if it is not installed. */
export const executablePath = findChromium()
if (executablePath === undefined) {
  process.stderr.write(
    'No Chromium on PATH: its tests are skipped. Install the package chromium.\n',
  )
}

// Longer than a slow machine needs to start a browser or to show a page.
const timeout = 120_000

/** A browser with a profile of its own. */
export interface Browser {
  readonly context: BrowserContext
  /** Ends the browser and removes its profile. */
  stop(): Promise<void>
}

/**
 * Starts Chromium.
 * @returns the browser
 */
export async function startBrowser(): Promise<Browser> {
  const profile = mkdtempSync(join(tmpdir(), 'create-api-chromium-'))
  const context = await chromium.launchPersistentContext(profile, {
    ...(executablePath === undefined ? {} : { executablePath }),
    timeout,
    args: [
      '--headless',
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
    ],
  })
  context.setDefaultTimeout(timeout)
  return {
    context,
    async stop() {
      await context.close()
      rmSync(profile, { recursive: true, force: true })
    },
  }
}

/**
 * Bundles a program for the browser, with the sources of our packages.
 * @param file - its path
 * @returns the script
 */
export async function bundle(file: string): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [file],
    bundle: true,
    write: false,
    format: 'esm',
    platform: 'browser',
    jsx: 'automatic',
    conditions: ['@create-api/source'],
    define: { 'process.env.NODE_ENV': '"production"' },
  })
  return outputFiles.map(({ text }) => text).join('')
}

function findChromium(): string | undefined {
  const folders = (process.env['PATH'] ?? '').split(delimiter)
  const names = ['chromium', 'chromium-browser', 'google-chrome']
  const files = folders.flatMap((folder) => names.map((name) => join(folder, name)))
  return files.find((file) => {
    try {
      accessSync(file, constants.X_OK)
      return true
    } catch {
      return false
    }
  })
}
