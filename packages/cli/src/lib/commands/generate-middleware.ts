import { posix } from 'node:path'
import { writeFiles } from '../files/write-file.ts'
import { camel } from '../names/resource-names.ts'
import { splitWords } from '../names/split-words.ts'
import { openProject } from '../project/open-project.ts'
import { formatRendered } from '../resource/format-rendered.ts'
import { renderFile } from '../resource/render-resource.ts'
import { type CommandContext } from '../terminal/command-context.ts'
import { describeChanges, toJsonFiles } from '../terminal/describe-changes.ts'
import { type Outcome } from '../terminal/reporter.ts'

export interface GenerateMiddlewareOptions {
  readonly name: string
  readonly dryRun?: boolean | undefined
  readonly force?: boolean | undefined
}

export async function generateMiddleware(
  options: GenerateMiddlewareOptions,
  context: CommandContext,
): Promise<Outcome> {
  const project = openProject(context.cwd)
  const { config, root } = project
  const words = splitWords(options.name, 'middleware')
  const path = posix.join(config.srcDir, 'middleware', words.join('-') + config.extension)
  const name = camel(words)
  const rendered = {
    path,
    text: await renderFile(project, ['middleware/middleware.ts.hbs'], {
      data: { name },
      imports: {},
    }),
  }
  const [text = ''] = await formatRendered(project, [rendered])
  const { dryRun, force } = options
  const changes = await writeFiles(root, [{ kind: 'write', path, text }], { dryRun, force })
  const same = changes.every(({ action }) => action === 'identical')
  return {
    json: {
      command: 'generate middleware',
      dryRun: dryRun === true,
      files: toJsonFiles(changes),
    },
    lines: ['', ...describeChanges(changes), ...(same ? ['', '  Nothing to do.'] : []), ''],
    notes: [{ kind: 'next', message: `use it: get('/', { …, before: [${name}()] }, list)` }],
  }
}
