// @ts-check
// Releases all packages with one version.
//   npm run release -- 0.2.0      writes version and date into manifests, lock file and CHANGELOG.md, commits, tags
//   npm run release -- --publish  builds, packs and publishes what is tagged; run by .github/workflows/release.yml
// With --dry-run both only print what they would do; the first also what the second would, with the files of the last build.
import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { readPackages } from './packages.js'

const root = process.cwd()
const args = process.argv.slice(2)
const isDry = args.includes('--dry-run')
const version = args.find((argument) => !argument.startsWith('--'))
const published = readPackages(root)
const current = published[0]?.manifest.version ?? ''

try {
  if (args.includes('--publish')) publish()
  else prepare(version ?? suggestVersion())
} catch (error) {
  console.error(`release: ${error instanceof Error ? error.message : String(error)}`)
  process.exitCode = 1
}

/** @param {string} next */
function prepare(next) {
  requireNewer(next)
  const changed = [...toManifests(next), toChangelog(next)]
  if (!isDry && run('git', ['status', '--porcelain']) !== '') {
    throw new Error('the working tree has changes: commit them first')
  }
  console.log(`version ${current} -> ${next}`)
  for (const { file, text } of changed) {
    console.log(`${isDry ? 'would write' : 'write'} ${file}`)
    if (!isDry) writeFileSync(path.join(root, file), text)
  }
  if (isDry) {
    console.log(`would commit, and tag v${next}`)
    for (const obstacle of findObstacles()) console.log(`before publishing: ${obstacle}`)
    console.log('would build, in the workflow of the tag')
    for (const one of published) console.log(`would publish ${describe(one, next)}`)
    return
  }
  run('npm', ['install', '--package-lock-only', '--ignore-scripts'])
  run('node', ['scripts/check/lock.js', '--fix'])
  // They contain the version.
  const golden = ['packages/cli/test/blog.test.ts', 'packages/cli/test/golden-resources.test.ts']
  run('node', ['node_modules/vitest/vitest.mjs', 'run', ...golden, '--update'])
  run('git', ['commit', '--all', '--quiet', '--message', `Release ${next}`])
  run('git', ['tag', '--annotate', `v${next}`, '--message', `Release ${next}`])
  console.log(`tagged v${next}; to publish it: git push --follow-tags`)
}

function publish() {
  const obstacles = findObstacles()
  if (!isDry && obstacles.length > 0) throw new Error(obstacles.join('; '))
  for (const obstacle of obstacles) console.log(`before publishing: ${obstacle}`)
  const tags = run('git', ['tag', '--points-at', 'HEAD']).split('\n')
  if (!isDry && !tags.includes(`v${current}`)) throw new Error(`HEAD is not tagged v${current}`)
  run('npm', ['run', 'build'])
  for (const one of published) {
    console.log(`${isDry ? 'would publish' : 'publish'} ${describe(one, current)}`)
    const flags = ['--tag', toLabel(current), '--ignore-scripts']
    if (!isDry) run('npm', ['publish', '-w', one.folder, ...flags])
  }
}

/**
 * @param {import('./packages.js').Package} one
 * @param {string} as - its version
 * @returns {string} name, version, and what the last build would pack
 */
function describe({ folder, manifest }, as) {
  const packed = run('npm', ['pack', '--json', '--dry-run', '--ignore-scripts', `./${folder}`])
  const [{ files, unpackedSize }] = Object.values(JSON.parse(packed))
  const size = `${files.length} files, ${(unpackedSize / 1e6).toFixed(2)} MB`
  return `${manifest.name}@${as} (${size}) as ${toLabel(as)}`
}

/** @param {string} of - a version */
function toLabel(of) {
  return of.includes('-') ? 'next' : 'latest'
}

// What npm would reject, or attest wrongly.
function findObstacles() {
  return published.flatMap(({ folder }) => {
    const { publishConfig, repository } = JSON.parse(read(`${folder}/package.json`))
    return [
      ...(repository?.url
        ? []
        : [`${folder}/package.json needs a repository: npm proves the origin by it`]),
      ...(publishConfig?.provenance
        ? []
        : [`${folder}/package.json needs publishConfig.provenance`]),
    ]
  })
}

/** @param {string} next */
function toManifests(next) {
  const folders = ['packages', 'examples'].flatMap((parent) =>
    readdirSync(path.join(root, parent)).map((name) => `${parent}/${name}`),
  )
  const names = published.map(({ manifest }) => manifest.name)
  return [...folders, 'templates'].map((folder) => {
    const file = `${folder}/package.json`
    const lines = read(file)
      .split('\n')
      .map((line) => {
        const [, name = ''] = /^\s*"([^"]+)": "[\^~]?[\d.]+[^"]*"/.exec(line) ?? []
        const isOurs = name === 'version' || names.includes(name)
        return isOurs ? line.replace(`${current}"`, `${next}"`) : line
      })
    return { file, text: lines.join('\n') }
  })
}

/** @param {string} next */
function toChangelog(next) {
  const file = 'CHANGELOG.md'
  const heading = '## [Unreleased]\n'
  const text = read(file)
  const [, section = ''] = text.split(heading)
  if (!/^- /m.test(section.split('\n## ')[0] ?? '')) {
    throw new Error('CHANGELOG.md has nothing under "Unreleased"')
  }
  const date = new Date().toISOString().slice(0, 10)
  return { file, text: text.replace(heading, `${heading}\n## [${next}] - ${date}\n`) }
}

function suggestVersion() {
  if (!isDry) throw new Error('which version? Usage: npm run release -- <version> [--dry-run]')
  const [major = 0, minor = 0] = current.split('.').map(Number)
  return `${major}.${minor + 1}.0`
}

/** @param {string} next */
function requireNewer(next) {
  const pattern = /^\d+\.\d+\.\d+(-[\w.]+)?$/
  if (!pattern.test(next)) throw new Error(`${next} is not a version such as 1.2.0 or 1.2.0-rc.1`)
  const [to = '', candidate = ''] = next.split('-')
  const [from = '', currentCandidate = ''] = current.split('-')
  const compare = new Intl.Collator('en', { numeric: true }).compare
  // A version follows its own candidates.
  const isLaterCandidate = candidate === '' || compare(candidate, currentCandidate) > 0
  const isNewer =
    compare(to, from) > 0 || (to === from && currentCandidate !== '' && isLaterCandidate)
  if (!isNewer) throw new Error(`${next} is not newer than ${current}`)
}

/** @param {string} file */
function read(file) {
  return readFileSync(path.join(root, file), 'utf8')
}

/**
 * @param {string} command
 * @param {string[]} rest
 * @returns {string} its standard output
 */
function run(command, rest) {
  const shell = process.platform === 'win32' && command === 'npm'
  return execFileSync(command, rest, { cwd: root, encoding: 'utf8', shell }).trim()
}
