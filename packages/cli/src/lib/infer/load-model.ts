import { existsSync, readFileSync } from 'node:fs'
import { relative, resolve, sep } from 'node:path'
import { pathToFileURL } from 'node:url'
import { CliError } from '../errors/cli-error.ts'
import { findExamples } from '../fields/match-examples.ts'
import { describeFailure, runScript } from '../inspect/run-in-app.ts'
import { findPatternFault, maxText } from '../models/scalar-code.ts'
import { toResourceNames } from '../names/resource-names.ts'
import { type ModelDescription, type ModelPath } from '../project/model-description.ts'
import { type Project } from '../project/open-project.ts'
import { modelScript } from './model-script.ts'

export interface LoadedModel {
  readonly description: ModelDescription
  /** Lines that the file printed. */
  readonly printed: readonly string[]
}

interface Surroundings {
  readonly cwd: string
  readonly env: Readonly<Record<string, string | undefined>>
}

interface Loaded {
  readonly description?: ModelDescription
  readonly refusal?: {
    readonly message: string
    readonly details: readonly string[]
    readonly hint?: string
  }
  readonly failure?: { readonly name: string; readonly message: string; readonly stack: string }
  readonly printed: string
}

// Loads a file that defines a model, as the application does, in a child process: `src/models/post.ts#Post`.
export async function loadModel(
  project: Project,
  { fromModel, name: resource }: { readonly fromModel: string; readonly name: string },
  { cwd, env }: Surroundings,
): Promise<LoadedModel> {
  const [typed = '', name] = fromModel.split('#')
  const path = resolve(cwd, typed)
  const file = relative(project.root, path).split(sep).join('/')
  requireSource(path, file)
  const { model } = toResourceNames(resource, project.config.inflections)
  const text = readFileSync(path, 'utf8')
  const input = { path, file, url: pathToFileURL(path).href, text, name, model }
  const { description, failure, printed, refusal } = await runScript<Loaded>(project, modelScript, {
    env,
    input,
  })
  const lines = printed.split('\n').filter((line) => line.trim() !== '')
  if (description) {
    const paths = await Promise.all(description.paths.map(addExamples))
    return { description: { ...description, paths }, printed: lines }
  }
  if (refusal) throw new CliError('USAGE', refusal.message, refusal)
  if (failure) throw describeFailure(project.root, failure, `${file} could not be loaded`)
  throw new CliError('UNEXPECTED', `${file} could not be loaded`)
}

function requireSource(path: string, file: string): void {
  if (file.startsWith('..')) {
    throw new CliError(
      'OUTSIDE_PROJECT',
      `--from-model ${file}: the file is outside of the project`,
    )
  }
  if (!existsSync(path)) {
    throw new CliError('USAGE', `--from-model ${file}: there is no such file`, {
      hint: 'the path is relative to this folder: src/models/post.ts',
    })
  }
  if (/\.[cm]?[jt]s$/.test(file)) return
  throw new CliError(
    'USAGE',
    `--from-model ${file}: that is not a module of JavaScript or TypeScript`,
  )
}

// Values for the generated tests, for every pattern that the validation contains.
async function addExamples(path: ModelPath): Promise<ModelPath> {
  const { item, match, maxLength = maxText, members, minLength = 1 } = path
  const parts = {
    ...(item && { item: await addExamples(item) }),
    ...(members && { members: await Promise.all(members.map(addExamples)) }),
  }
  if (!match) return { ...path, ...parts }
  const { source } = match
  const max = Math.min(maxLength, 200)
  const isReadable = findPatternFault({ source, flags: '' }) === undefined
  const found = isReadable ? await findExamples(source, { min: Math.max(minLength, 1), max }) : []
  const kept = found.filter((value) => isKept(value, path))
  return { ...path, ...parts, examples: kept.slice(0, path.unique ? 20 : 3) }
}

// Whether the model stores it as it is sent.
function isKept(value: string, { uses = [] }: ModelPath): boolean {
  if (uses.includes('lowercase') && value !== value.toLowerCase()) return false
  return !uses.includes('uppercase') || value === value.toUpperCase()
}
