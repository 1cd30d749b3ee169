import { join } from 'node:path'
import { readText } from '../files/plan.ts'
import { type Project } from '../project/open-project.ts'
import { findPackage, type PackageJson, readPackageJson } from '../project/package-json.ts'
import { type Note } from '../terminal/reporter.ts'

// How the generated tests of a resource are run, and what prevents that.
export function noteTests(project: Project, plural: string): readonly Note[] {
  const { scripts = {} } = readPackageJson(project.root)
  const names = Object.keys(scripts).filter((name) => /\bvitest\b/.test(scripts[name] ?? ''))
  const script = names.includes('test') ? 'test' : names[0]
  const command = script === undefined ? 'npx vitest run' : `${toRun(script)} --`
  return [
    ...(script === undefined ? noteVitest(project) : []),
    ...noteJest(project),
    { kind: 'next', message: `${command} ${plural}` },
  ]
}

function toRun(script: string): string {
  return script === 'test' ? 'npm test' : `npm run ${script}`
}

function noteVitest({ config, dependencies, root }: Project): readonly Note[] {
  const own = readPackageJson(findPackage(join(root, config.srcDir)) ?? root)
  if (hasVitest({ dependencies }) || hasVitest(own)) return []
  return [
    {
      kind: 'note',
      code: 'VITEST_NEEDED',
      message:
        'the generated test imports Vitest, and other test runners cannot run it; --skip test leaves it out, or install it:',
      commands: ['npm install --save-dev vitest'],
    },
  ]
}

function hasVitest({ dependencies, devDependencies }: PackageJson): boolean {
  return Object.hasOwn({ ...dependencies, ...devDependencies }, 'vitest')
}

const jestFiles = [
  'package.json',
  ...['js', 'ts', 'mjs', 'cjs', 'json'].map((end) => `jest.config.${end}`),
]

// Jest takes every file of this name for its own.
function noteJest({ config, dependencies, root }: Project): readonly Note[] {
  if (!Object.hasOwn(dependencies, 'jest')) return []
  if (jestFiles.some((file) => readText(join(root, file))?.includes('testPathIgnorePatterns')))
    return []
  return [
    {
      kind: 'note',
      code: 'JEST_FINDS_TESTS',
      message:
        'Jest would run the generated test as well, and fail; exclude the folder in its configuration:',
      commands: [`testPathIgnorePatterns: ['/node_modules/', '<rootDir>/${config.resourcesDir}/']`],
    },
  ]
}
