import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { readPackages } from '../../../../scripts/release/packages.js'

const run = promisify(execFile)
const checkout = fileURLToPath(new URL('../../../..', import.meta.url))
const published = readPackages()

/** A package registry on this machine. */
export interface Registry {
  readonly url: string
  /** The one that has all other packages. */
  readonly upstream: string
  readonly close: () => void
}

interface Packed {
  readonly name: string
  readonly version: string
  readonly filename: string
  readonly integrity: string
  readonly shasum: string
}

/**
 * Packs our packages and serves them as a registry does; every other package is the business of
 * the registry that npm is set up for.
 *
 * @param folder where the tarballs are kept
 * @returns the registry
 */
export async function startRegistry(folder: string): Promise<Registry> {
  const upstream = (await run('npm', ['config', 'get', 'registry'])).stdout.trim()
  const workspaces = published.flatMap(({ folder: workspace }) => ['-w', workspace])
  const args = ['pack', '--json', '--ignore-scripts', '--pack-destination', folder, ...workspaces]
  const { stdout } = await run('npm', args, { cwd: checkout, maxBuffer: 16 * 1024 * 1024 })
  const packages: readonly Packed[] = JSON.parse(stdout)
  const documents = new Map<string, (url: string) => object>()
  for (const { name, version, filename, integrity, shasum } of packages) {
    const manifest = published.find((one) => one.manifest.name === name)?.manifest
    documents.set(name, (url) => ({
      name,
      'dist-tags': { latest: version },
      versions: {
        [version]: { ...manifest, dist: { integrity, shasum, tarball: `${url}/-/${filename}` } },
      },
    }))
  }

  const server = createServer((req, res) => {
    const path = decodeURIComponent(req.url ?? '/').slice(1)
    const document = documents.get(path)
    const packed = packages.find(({ filename }) => path === `-/${filename}`)
    if (document !== undefined) {
      res.setHeader('content-type', 'application/json')
      res.end(JSON.stringify(document(`http://${req.headers.host ?? ''}`)))
    } else if (packed === undefined) {
      res.writeHead(302, { location: new URL((req.url ?? '/').slice(1), upstream).href }).end()
    } else {
      res.end(readFileSync(join(folder, packed.filename)))
    }
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  const port = typeof address === 'object' && address !== null ? address.port : 0
  return {
    url: `http://127.0.0.1:${port}`,
    upstream: upstream.replace(/\/$/, ''),
    close: () => server.close(),
  }
}
