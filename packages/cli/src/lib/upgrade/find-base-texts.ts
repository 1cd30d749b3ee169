import { CliError } from '../errors/cli-error.ts'
import { hashText } from '../files/hash-text.ts'
import { readBaseTexts } from '../project/base-texts.ts'
import { type Manifest } from '../project/manifest.ts'
import { type Project } from '../project/open-project.ts'
import { type Git, listLines } from './run-git.ts'

export interface BaseTexts {
  /** The text of a file as it was generated, by its recorded hash if there is one. */
  readonly find: (path: string, hash?: string) => string | undefined
}

export interface BaseRequest {
  readonly git: Git
  /** A commit that holds the files as they were generated, from `--base`. */
  readonly commit?: string | undefined
}

// What the generator wrote: the texts that the project keeps. For those of versions that kept
// none, the history of the project has what equals a recorded hash, and its first commit the rest.
export async function findBaseTexts(
  { manifest, root }: Project,
  { commit, git }: BaseRequest,
): Promise<BaseTexts> {
  const recorded = listRecorded(manifest)
  const kept = readBaseTexts(root)
  const lacking = recorded.filter(({ hash }) => !kept.has(hash))
  const found = await searchHistory(git, lacking)
  const first = manifest.project === undefined ? await findFirstCommit(git) : undefined
  const start = commit === undefined ? first : await requireCommit(git, commit)
  const created = start === undefined ? new Map<string, string>() : await readCommit(git, start)
  return {
    find(path, hash) {
      const text = hash === undefined ? undefined : (kept.get(hash) ?? found.get(hash))
      // A recorded text is in the first commit only where the user says so.
      return text ?? (hash === undefined || commit !== undefined ? created.get(path) : undefined)
    },
  }
}

interface Recorded {
  readonly path: string
  readonly hash: string
}

function listRecorded({ project, resources }: Manifest): readonly Recorded[] {
  return [
    ...Object.entries(project?.files ?? {}).map(([path, hash]) => ({ path, hash })),
    ...Object.values(resources).flatMap(({ files }) =>
      Object.entries(files).map(([path, { written }]) => ({ path, hash: written })),
    ),
  ]
}

async function searchHistory(
  git: Git,
  lacking: readonly Recorded[],
): Promise<ReadonlyMap<string, string>> {
  if (lacking.length === 0) return new Map()
  const paths = lacking.map(({ path }) => path)
  const objects = await git(['rev-list', '--objects', '--all', '--', ...paths])
  if (objects.code !== 0) return new Map()
  const names = listLines(objects).flatMap((line) => /^(\S+) ./.exec(line)?.[1] ?? [])
  const wanted = new Set(lacking.map(({ hash }) => hash))
  const texts = (await readBlobs(git, names)).map((text) => [hashText(text), text] as const)
  return new Map(texts.filter(([hash]) => wanted.has(hash)))
}

// The commit that create-api makes, or nothing where it made none.
async function findFirstCommit(git: Git): Promise<string | undefined> {
  const args = ['log', '--diff-filter=A', '--format=%H %s', '--', '.api/manifest.json']
  const log = await git(args)
  const [, commit] =
    /^(\S+) Initial commit from create-api /.exec(listLines(log).at(-1) ?? '') ?? []
  return log.code === 0 ? commit : undefined
}

async function requireCommit(git: Git, name: string): Promise<string> {
  const found = await git([
    'rev-parse',
    '--verify',
    '--quiet',
    '--end-of-options',
    `${name}^{commit}`,
  ])
  if (found.code === 0) return found.stdout.toString('utf8').trim()
  throw new CliError('USAGE', `--base ${name} is not a commit of this repository`, {
    hint: 'git log shows the commits',
  })
}

async function readCommit(git: Git, commit: string): Promise<ReadonlyMap<string, string>> {
  const tree = await git(['ls-tree', '-r', '-z', commit, '--', '.'])
  const files = listLines(tree, '\0').flatMap((line) => {
    const [, name, path] = /^100\d+ blob (\S+)\t(.+)$/s.exec(line) ?? []
    return name === undefined || path === undefined ? [] : [{ name, path }]
  })
  const texts = await readBlobs(
    git,
    files.map(({ name }) => name),
  )
  return new Map(files.map(({ path }, index) => [path, texts[index] ?? '']))
}

// In the same order.
async function readBlobs(git: Git, names: readonly string[]): Promise<readonly string[]> {
  const { stdout } = await git(['cat-file', '--batch'], `${names.join('\n')}\n`)
  const texts: string[] = []
  for (let at = 0; at < stdout.length;) {
    const end = stdout.indexOf('\n', at)
    const [, type, size] = /^\S+ (\w+) (\d+)$/.exec(stdout.toString('utf8', at, end)) ?? []
    const length = Number(size ?? 0)
    const text = type === 'blob' ? stdout.toString('utf8', end + 1, end + 1 + length) : ''
    texts.push(text.replaceAll('\r\n', '\n'))
    at = type === undefined ? end + 1 : end + 1 + length + 1
  }
  return texts
}
