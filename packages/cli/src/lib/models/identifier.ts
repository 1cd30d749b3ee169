import { CliError } from '../errors/cli-error.ts'
import { type ModelDescription } from '../project/model-description.ts'

/** How the paths of a resource name a document of a model. */
export interface Identifier {
  /** False if the model or the database sets it. */
  readonly sent: boolean
  /** Schema of the parameter; undefined for an ObjectId. */
  readonly schema?: string
  /** Schema of the member `id` of a response. */
  readonly output?: string
  readonly type: 'string' | 'number'
  /** Code of ids of no document. */
  readonly absent: string
}

const objectIds: Identifier = { sent: false, type: 'string', absent: "[absent, 'nope']" }

const ofTypes: ReadonlyMap<string, Omit<Identifier, 'sent'>> = new Map(
  Object.entries({
    String: {
      schema: 'z.string().max(1000)',
      output: 'z.string()',
      type: 'string' as const,
      absent: "[absent, 'nope nope']",
    },
    Number: {
      schema: 'integerId',
      output: 'z.number()',
      type: 'number' as const,
      absent: "['999999999', 'nope']",
    },
    UUID: {
      schema: 'z.uuid()',
      output: 'z.uuid()',
      type: 'string' as const,
      absent: "['ffffffff-ffff-4fff-8fff-ffffffffffff', 'nope']",
    },
  }),
)

export function toIdentifier({ file, paths, plugins }: ModelDescription): Identifier {
  const path = paths.find(({ name }) => name === '_id')
  if (path === undefined || path.type === 'ObjectId') return objectIds
  const found = ofTypes.get(path.type)
  if (found === undefined) {
    throw new CliError(
      'USAGE',
      `${file}: the _id has type ${path.type}, which paths cannot contain`,
      {
        hint: 'write the routes of this model by hand: docs/resources.md',
      },
    )
  }
  const isSet = path.default !== undefined || plugins.includes('integerIds')
  return { ...found, sent: !isSet }
}
