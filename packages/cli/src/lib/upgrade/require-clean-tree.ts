import { draftSuffix } from '../files/apply.ts'
import { CliError } from '../errors/cli-error.ts'
import { type Git, listLines } from './run-git.ts'

// Without a commit of the present state, an upgrade could not be undone.
export async function requireCleanTree(git: Git): Promise<void> {
  const status = await git(['status', '--porcelain', '--untracked-files=all', '--', '.'])
  if (status.code !== 0) {
    throw new CliError('WORK_TREE_DIRTY', 'this is not a git repository; nothing was written', {
      details: status.stderr === '' ? [] : [`  ${status.stderr.split('\n')[0] ?? ''}`],
      hint: 'commit the project, so that the upgrade can be undone, or use --force',
    })
  }
  await requireNoMerge(git)
  // The lock of this run, which older projects do not ignore.
  const changed = listLines(status).filter((line) => !/ "?(.*\/)?\.api\/lock"?$/.test(line))
  if (changed.length === 0) return
  const shown = changed.slice(0, 10).map((line) => `  ${line}`)
  if (changed.length > 10) shown.push(`  … and ${changed.length - 10} more`)
  const left = await git(['ls-files', '--others', '--', `*${draftSuffix}`])
  const isInterrupted = listLines(left).length > 0
  throw new CliError(
    'WORK_TREE_DIRTY',
    isInterrupted
      ? 'an earlier run was interrupted; nothing was written'
      : 'the work tree has uncommitted changes; nothing was written',
    {
      details: shown,
      hint: isInterrupted
        ? 'to finish it: api upgrade --force    to undo it: git restore . && git clean -d --interactive'
        : 'commit or stash them, so that the upgrade can be undone, or use --force',
      files: changed.map((line) => line.slice(3)),
    },
  )
}

async function requireNoMerge(git: Git): Promise<void> {
  const merge = await git(['rev-parse', '--verify', '--quiet', 'MERGE_HEAD'])
  if (merge.code !== 0) return
  throw new CliError('WORK_TREE_DIRTY', 'a merge is in progress; nothing was written', {
    hint: 'finish it with git merge --continue, or undo it with git merge --abort',
  })
}
