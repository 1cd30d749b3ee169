import * as nodeFs from 'node:fs'
import { dirname, join } from 'node:path'

/** The file-system calls that writing uses; tests make them fail in turn. */
export type FileSystem = Pick<
  typeof nodeFs,
  | 'chmodSync'
  | 'existsSync'
  | 'mkdirSync'
  | 'readFileSync'
  | 'renameSync'
  | 'rmSync'
  | 'rmdirSync'
  | 'statSync'
  | 'unlinkSync'
  | 'writeFileSync'
>

/** The real file system. */
export const realFileSystem: FileSystem = nodeFs

/** Places inside a project's `.api` folder. */
export interface StateFolder {
  readonly folder: string
  readonly lock: string
  readonly journal: string
  readonly staging: string
}

/**
 * Names the places where a project keeps the generator's state.
 *
 * @param root the project's folder
 * @returns absolute paths
 */
export function stateFolder(root: string): StateFolder {
  const folder = join(root, '.api')
  return {
    folder,
    lock: join(folder, 'lock'),
    journal: join(folder, 'journal.json'),
    staging: join(folder, 'staging'),
  }
}

/**
 * Creates a folder and those above it.
 *
 * @param fs the file system
 * @param folder absolute path
 * @returns the folders that did not exist before, outermost first
 */
export function createFolder(fs: FileSystem, folder: string): readonly string[] {
  const missing = missingFolders(fs, folder)
  fs.mkdirSync(folder, { recursive: true })
  return missing
}

/**
 * Lists the folders that would have to be created.
 *
 * @param fs the file system
 * @param folder absolute path
 * @returns the missing folders, outermost first
 */
export function missingFolders(fs: FileSystem, folder: string): readonly string[] {
  if (fs.existsSync(folder)) return []
  const parent = dirname(folder)
  return parent === folder ? [folder] : [...missingFolders(fs, parent), folder]
}

/**
 * Removes folders that are empty; leaves the others.
 *
 * @param fs the file system
 * @param folders absolute paths, outermost first
 */
export function removeEmptyFolders(fs: FileSystem, folders: readonly string[]): void {
  for (const folder of folders.toReversed()) {
    try {
      fs.rmdirSync(folder)
    } catch {
      // Not empty or gone already: someone else's business.
    }
  }
}
