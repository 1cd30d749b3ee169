import { resolve } from 'node:path'
import { CliError } from '../errors/cli-error.ts'
import { openFile, openStdin } from '../import/source.ts'
import { type Project } from '../project/open-project.ts'
import { type CommandContext } from '../terminal/command-context.ts'
import { inferFields } from './fields-of-documents.ts'
import { readFields } from './fields-of-schema.ts'
import { createModelFinder } from './find-model.ts'
import { type Inference } from './inference.ts'
import { readSchema } from './read-openapi.ts'
import { readSamples } from './read-samples.ts'
import { sampleCollection } from './sample-collection.ts'

/** What the fields of a resource follow from: at most one of these. */
export interface FieldSource {
  /** File with documents; `-` for standard input. */
  readonly fromJson?: string | undefined
  /** Collection of the database of the application. */
  readonly fromCollection?: string | undefined
  /** Schema of an OpenAPI document: `openapi.json#Post`. */
  readonly fromOpenapi?: string | undefined
  /** File of a Mongoose model: `src/models/post.ts#Post`. */
  readonly fromModel?: string | undefined
}

// Undefined if the fields are only those that are typed.
export async function inferFrom(
  project: Project,
  source: FieldSource,
  context: CommandContext,
): Promise<Inference | undefined> {
  const { fromCollection, fromJson, fromModel, fromOpenapi } = source
  const given = [fromCollection, fromJson, fromModel, fromOpenapi]
  if (given.filter((one) => one !== undefined).length > 1) {
    throw new CliError(
      'USAGE',
      '--from-json, --from-collection, --from-openapi and --from-model exclude one another',
    )
  }
  const inference = await read(project, source, context)
  if (!inference || inference.fields.length > 0) return inference
  throw new CliError('USAGE', `${inference.source}: there is no field that can be generated`, {
    details: inference.omitted.map(({ name, reason }) => `  ${name}  ${reason}`),
  })
}

async function read(
  project: Project,
  { fromCollection, fromJson, fromOpenapi }: FieldSource,
  { cwd, terminal }: CommandContext,
): Promise<Inference | undefined> {
  const findModel = createModelFinder(project)
  if (fromOpenapi !== undefined) return readFields(readSchema(cwd, fromOpenapi), findModel)
  if (fromCollection !== undefined) {
    return inferFields(await sampleCollection(project, fromCollection, terminal.env), findModel)
  }
  if (fromJson === undefined) return undefined
  const source =
    fromJson === '-'
      ? await openStdin(terminal.stdin, undefined)
      : openFile(resolve(cwd, fromJson), undefined)
  return inferFields(await readSamples(source), findModel)
}

// The fields that are typed replace those of the same name.
export function mergeFields({ fields }: Inference, typed: readonly string[]): readonly string[] {
  const names = typed.map((argument) => argument.split(':', 1)[0] ?? '')
  const isTyped = (argument: string): boolean =>
    names.some((name) => argument.startsWith(`${name}:`) || argument.startsWith(`${name}.`))
  return [...fields.map(({ argument }) => argument).filter((one) => !isTyped(one)), ...typed]
}
