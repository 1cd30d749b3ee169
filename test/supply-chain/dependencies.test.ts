import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { lock, productionTree, root } from './lock.ts'

// The oldest versions without a known vulnerability that affects us.
const floors: Readonly<Record<string, string>> = {
  'body-parser': '2.3.0',
  'path-to-regexp': '8.4.0',
  qs: '6.14.2',
  morgan: '1.11.0',
  'on-headers': '1.1.0',
  'express-rate-limit': '8.6.2',
  mongoose: '9.12.0',
  sift: '17.1.4',
  jsonwebtoken: '9.0.3',
  jws: '4.0.1',
  handlebars: '4.7.9',
}
const manifests = [
  'packages/core',
  'packages/cli',
  'packages/client',
  'packages/embedded-mongo',
  'packages/jobs',
  'packages/mcp',
  'packages/openapi-diff',
  'packages/sign-in',
  'packages/webhooks',
  'templates',
  'examples/blog',
]
const ours = manifests.filter((folder) => !folder.startsWith('examples/'))
// What a generated service installs for production.
const service = productionTree(['@create-api/core', 'express', 'mongoose', 'zod'])
const everything = productionTree([
  '@create-api/core',
  '@create-api/embedded-mongo',
  '@create-api/jobs',
  '@create-api/mcp',
  '@create-api/sign-in',
  '@create-api/webhooks',
  'create-api',
  'express',
  'mongoose',
  'zod',
])

const manifest = z.object({
  scripts: z.record(z.string(), z.string()).optional(),
  dependencies: z.record(z.string(), z.string()).optional(),
  devDependencies: z.record(z.string(), z.string()).optional(),
  peerDependencies: z.record(z.string(), z.string()).optional(),
})

function readManifest(folder: string): z.infer<typeof manifest> {
  return manifest.parse(JSON.parse(readFileSync(path.join(root, folder, 'package.json'), 'utf8')))
}

function isBelow(version: string, floor: string): boolean {
  const [left, right] = [version, floor].map((text) => text.split('.').map(Number))
  for (let part = 0; part < 3; part++) {
    const difference = (left?.[part] ?? 0) - (right?.[part] ?? 0)
    if (difference !== 0) return difference < 0
  }
  return false
}

function sizeOf(folder: string): number {
  let bytes = 0
  for (const item of readdirSync(folder, { withFileTypes: true })) {
    const target = path.join(folder, item.name)
    // A nested package is a separate entry.
    if (item.isDirectory()) bytes += item.name === 'node_modules' ? 0 : sizeOf(target)
    else if (item.isFile()) bytes += statSync(target).size
  }
  return bytes
}

describe('dependencies', () => {
  it.each(manifests)('SUP-01 %s allows no version below the minimum', (folder) => {
    const { dependencies, devDependencies, peerDependencies } = readManifest(folder)
    const ranges = Object.entries({ ...devDependencies, ...peerDependencies, ...dependencies })
    const low = ranges.filter(([name, range]) => {
      const floor = floors[name]
      // Ranges are `^1.2.3`, `~1.2.3` or a version, so the version they contain is the lowest allowed.
      const least = /^[\^~]?(\d+\.\d+\.\d+)$/.exec(range)?.[1]
      return floor !== undefined && (least === undefined || isBelow(least, floor))
    })
    expect(low).toEqual([])
  })

  it('SUP-01 no locked version is below the minimum', () => {
    const low = [...everything].filter((place) => {
      const floor = floors[place.slice(place.lastIndexOf('node_modules/') + 13)]
      return floor !== undefined && isBelow(lock[place]?.version ?? '0', floor)
    })
    expect(low).toEqual([])
    // Bundled, and therefore not a production dependency.
    expect(isBelow(lock['node_modules/handlebars']?.version ?? '0', '4.7.9')).toBe(false)
  })

  it('SUP-02 no production dependency runs an install script', () => {
    expect([...everything].filter((place) => lock[place]?.hasInstallScript)).toEqual([])
    for (const folder of ours) {
      const scripts = Object.keys(readManifest(folder).scripts ?? {})
      expect(scripts.filter((name) => /^(pre|post)?install$|^prepare$/.test(name))).toEqual([])
    }
  })

  it('SUP-03 a service installs at most 130 packages and 35 MB', () => {
    // Binaries for other platforms are listed by name only.
    const installed = [...service].filter((place) => existsSync(path.join(root, place)))
    const own = installed.filter((place) => place.startsWith('packages/'))
    const bytes = installed
      .filter((place) => !own.includes(place))
      .map((place) => sizeOf(path.join(root, place)))
    expect(installed.length).toBeLessThanOrEqual(130)
    expect(bytes.reduce((sum, size) => sum + size, 0)).toBeLessThan(35_000_000)
  })

  it('SUP-03 the repository installs at most 347 packages and 170 MB', () => {
    const installed = Object.entries(lock)
      .filter(([place, { link }]) => place.includes('node_modules/') && !link)
      .map(([place]) => path.join(root, place))
      .filter((place) => existsSync(place))
    const bytes = installed.reduce((sum, place) => sum + sizeOf(place), 0)
    // One more on macOS.
    expect(installed.length).toBeLessThanOrEqual(347)
    expect(bytes).toBeLessThan(170_000_000)
  })

  it('docs/architecture.md says what each direct dependency is for', () => {
    const text = readFileSync(path.join(root, 'docs/architecture.md'), 'utf8')
    const [, section = ''] = text.split('## Dependencies\n')
    const named = Array.from(section.matchAll(/^\| `([^`]+)` +\| \S/gm), ([, name]) => name)
    const project = readManifest('examples/blog')
    const core = readManifest('packages/core')
    const direct = { ...project.dependencies, ...project.devDependencies, ...core.dependencies }
    expect(new Set(named)).toEqual(new Set(Object.keys(direct)))
  })
})
