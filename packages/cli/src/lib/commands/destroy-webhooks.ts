import { join } from 'node:path'
import { removeOption } from '../code/api-options.ts'
import { isPending, type WantedFile } from '../files/change.ts'
import { readText } from '../files/plan.ts'
import { writeFiles } from '../files/write-file.ts'
import { openProject, type Project } from '../project/open-project.ts'
import { planUnmount } from '../resource/plan-mount.ts'
import { type CommandContext } from '../terminal/command-context.ts'
import { describeChanges, toJsonFiles } from '../terminal/describe-changes.ts'
import { type Note, type Outcome } from '../terminal/reporter.ts'
import { readAppFile, renderWebhooks, toWebhookMount } from '../webhooks/webhook-files.ts'
import { requireConsent } from './require-consent.ts'

export interface DestroyWebhooksOptions {
  readonly dryRun?: boolean | undefined
  /** Delete files that were edited, too. */
  readonly force?: boolean | undefined
}

export async function destroyWebhooks(
  { dryRun, force }: DestroyWebhooksOptions,
  context: CommandContext,
): Promise<Outcome> {
  const project = openProject(context.cwd)
  const rendered = await renderWebhooks(project)
  const edited = rendered
    .filter(({ path, text }) => ![text, undefined].includes(readText(join(project.root, path))))
    .map(({ path }) => path)
  const summary = edited.length === 1 ? '1 file was edited' : `${edited.length} files were edited`
  await requireConsent({ edited, summary, word: 'edited' }, { dryRun, force }, context)
  const app = await planApp(project)
  const files: readonly WantedFile[] = [
    ...rendered.map(({ path }) => ({ kind: 'delete' as const, path })),
    await planUnmount(project, toWebhookMount(project)),
    ...app.files,
  ]
  const changes = await writeFiles(project.root, files, { dryRun })
  const changed = changes.some(isPending)
  return {
    json: {
      command: 'destroy webhooks',
      dryRun: dryRun === true,
      changed,
      files: toJsonFiles(changes),
    },
    lines: [
      ...(dryRun ? ['Dry run: nothing was written.'] : []),
      '',
      ...describeChanges(changes),
      ...(changed ? [] : ['', '  Nothing to do.']),
      '',
    ],
    notes: app.notes,
  }
}

// The edit of the application, and what to remove by hand.
async function planApp(
  project: Project,
): Promise<{ readonly files: readonly WantedFile[]; readonly notes: readonly Note[] }> {
  const { options, path, specifier, text: before } = readAppFile(project)
  if (before === undefined) return { files: [], notes: [] }
  let text = before
  for (const option of options.toReversed()) text = await removeOption(text, option)
  const message = `in ${path}, remove what uses ${specifier}`
  return {
    files:
      text === before
        ? []
        : [{ kind: 'edit', path, before, text, detail: '−jobs, −openapi.webhooks' }],
    notes: text.includes(specifier) ? [{ kind: 'next', message }] : [],
  }
}
