import { gzipSync } from 'node:zlib'

/** One file of a tarball. */
export interface TarballFile {
  /** Path with `/`, at most 255 characters. */
  readonly path: string
  readonly content: Buffer
}

const block = 512

/**
 * Packs files the way npm expects them. The same files give the same bytes.
 *
 * @param files the files of the package
 * @returns a gzipped POSIX tar archive with everything under `package/`
 */
export function createTarball(files: readonly TarballFile[]): Buffer {
  const parts = files
    .toSorted((a, b) => (a.path < b.path ? -1 : 1))
    .flatMap(({ path, content }) => [
      createHeader(`package/${path}`, content.length),
      content,
      Buffer.alloc((block - (content.length % block)) % block),
    ])
  return gzipSync(Buffer.concat([...parts, Buffer.alloc(2 * block)]), { level: 6 })
}

// POSIX.1-1988 ustar; npm ignores the owner and sets the modes itself.
function createHeader(path: string, size: number): Buffer {
  const header = Buffer.alloc(block)
  const { name, prefix } = splitPath(path)
  header.write(name, 0, 100)
  header.write('0000644\0', 100)
  header.write('0000000\0', 108)
  header.write('0000000\0', 116)
  header.write(`${size.toString(8).padStart(11, '0')}\0`, 124)
  // 1985, as npm writes it: some archivers cannot store the year 1970.
  header.write('03560116270\0', 136)
  header.write('        ', 148)
  header.write('0', 156)
  header.write('ustar\u000000', 257)
  header.write(prefix, 345, 155)
  const sum = header.reduce((total, byte) => total + byte, 0)
  header.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148)
  return header
}

function splitPath(path: string): { readonly name: string; readonly prefix: string } {
  if (path.length <= 100) return { name: path, prefix: '' }
  const at = path.indexOf('/', path.length - 101)
  if (at === -1 || at > 155) throw new Error(`${path} is too long for a tarball`)
  return { name: path.slice(at + 1), prefix: path.slice(0, at) }
}
