import { join, posix } from 'node:path'
import { applyChanges } from '../files/apply.ts'
import { withLock } from '../files/lock.ts'
import { planChanges, readText } from '../files/plan.ts'
import { splitWords } from '../names/split-words.ts'
import { toMigrationFolder, toMigrationTimes } from '../project/migration-files.ts'
import { findProjectRoot, type Project, readProject } from '../project/open-project.ts'
import { formatRendered } from '../resource/format-rendered.ts'
import { importsOfEmptyMigration } from '../resource/imports.ts'
import { renderFile } from '../resource/render-resource.ts'
import { apiCommand } from '../terminal/api-command.ts'
import { type CommandContext } from '../terminal/command-context.ts'
import { describeChanges, toJsonFiles } from '../terminal/describe-changes.ts'
import { type Note, type Outcome } from '../terminal/reporter.ts'

export interface CreateMigrationOptions {
  readonly name: string
  /** False for `--no-format`. */
  readonly format?: boolean | undefined
}

export async function createMigration(
  options: CreateMigrationOptions,
  context: CommandContext,
): Promise<Outcome> {
  const root = findProjectRoot(context.cwd)
  const words = splitWords(options.name, 'migration')
  return withLock(root, async () => {
    const project = readProject(root)
    const [time = ''] = toMigrationTimes(project, new Date(), 1)
    const path = posix.join(
      toMigrationFolder(project),
      `${time}-${words.join('-')}${project.config.extension}`,
    )
    const rendered = {
      path,
      text: await renderFile(project, ['migration/migration.ts.hbs'], {
        data: {},
        imports: importsOfEmptyMigration,
      }),
    }
    const [text = ''] = await formatRendered(project, [rendered], {
      format: options.format !== false,
    })
    const changes = planChanges(root, [{ kind: 'write', path, text }])
    applyChanges(root, changes)
    return {
      json: { command: 'migrate create', files: toJsonFiles(changes) },
      lines: ['', ...describeChanges(changes), ''],
      notes: [
        {
          kind: 'next',
          message: `write its steps, then see what it would do: ${apiCommand} migrate plan`,
        },
        ...noteStart(project),
      ],
    }
  })
}

// Projects that were created before there were migrations do not look for them at the start.
export function noteStart({ config, root }: Project): readonly Note[] {
  const { extension, language, srcDir } = config
  const app = readText(join(root, srcDir, `app${extension}`)) ?? ''
  if (/\bmigrations\b/.test(app)) return []
  const steps =
    language === 'typescript'
      ? 'add this option to createApi there, and "inlineSources": true to tsconfig.build.json'
      : 'and add this option to createApi there'
  return [
    {
      kind: 'note',
      code: 'MIGRATIONS_OFF',
      message: `to check for pending migrations at the start, import createMigrations in ${srcDir}/app${extension}, ${steps}:`,
      commands: [
        "import { createMigrations } from '@create-api/core/migrations'",
        "migrations: createMigrations({ directory: new URL('./migrations/', import.meta.url) }),",
      ],
    },
  ]
}
