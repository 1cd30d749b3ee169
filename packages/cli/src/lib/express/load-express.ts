import { createRequire } from 'node:module'
import { pathToFileURL } from 'node:url'
import { CliError } from '../errors/cli-error.ts'
import { runWithFile } from '../inspect/run-in-app.ts'
import { type AppFile } from './find-app-file.ts'
import { observeScript } from './observe-script.ts'

export interface Place {
  /** Absolute path. */
  readonly file: string
  readonly line: number
  readonly column: number
}

/** The path of a layer; a regular expression is an object. */
export type LayerPath = string | { readonly pattern: string }

export interface ExpressFunction {
  /** The same number for the same function. */
  readonly id: number
  readonly name: string
  /** Whether it takes four parameters. */
  readonly handlesErrors: boolean
  /** Whether it takes no `next`, and so ends every request that it gets. */
  readonly ends: boolean
  /** Where it is written, unless that is in a package. */
  readonly place?: Place
}

interface LayerBase {
  /** None if the layer was registered in a way that could not be observed. */
  readonly paths?: readonly LayerPath[]
  /** Where it was registered. */
  readonly place?: Place
}

export interface RouteHandler extends ExpressFunction {
  /** None for `all`. */
  readonly method?: string
  readonly registered?: Place
}

export type Layer =
  | (LayerBase & { readonly kind: 'route'; readonly handlers: readonly RouteHandler[] })
  | (LayerBase & { readonly kind: 'router'; readonly layers: readonly Layer[] })
  | (LayerBase & { readonly kind: 'middleware'; readonly handler: ExpressFunction })

export interface MongooseModel {
  readonly name: string
  readonly collection?: string
  readonly place?: Place
}

/** What is known of an Express application after it was loaded. */
export interface LoadedApp {
  /** Version of Express. */
  readonly version?: string
  /** The layers of each application that is not mounted in another one. */
  readonly apps: readonly (readonly Layer[])[]
  readonly models: readonly MongooseModel[]
  /** What the application would have done, such as `listening on port 3000`. */
  readonly prevented: readonly string[]
  /** Errors that did not keep the application from registering routes. */
  readonly problems: readonly string[]
  /** The exported function that was called to create the application. */
  readonly called?: string
}

// Until then, an application that waits for a connection has registered what it can.
const limit = 10_000

// Loads the application in a child process, in which it neither listens nor connects.
export async function loadExpress(
  { file, path, root }: AppFile,
  env: Readonly<Record<string, string | undefined>>,
): Promise<LoadedApp> {
  const loader = findLoader(file)
  if (loader === undefined && /\.[cm]?tsx?$/.test(path)) {
    throw new CliError('PROBLEMS_FOUND', `${path} is TypeScript, and tsx is not installed`, {
      hint: 'npm install --save-dev tsx, or name the compiled file: --express dist/app.js',
    })
  }
  const loaded = await runWithFile<LoadedApp>({ root, file, loader }, observeScript, {
    env,
    input: { limit },
  })
  if (loaded.apps.length > 0) return loaded
  throw new CliError('PROBLEMS_FOUND', `${path} creates no Express application`, {
    details: loaded.problems.map((problem) => `  ${problem}`),
    hint: 'name the file that creates, exports or starts it: --express <file>',
  })
}

function findLoader(file: string): string | undefined {
  try {
    return pathToFileURL(createRequire(file).resolve('tsx')).href
  } catch {
    return undefined
  }
}
