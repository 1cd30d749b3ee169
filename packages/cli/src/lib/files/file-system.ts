import * as nodeFs from 'node:fs'
import { dirname } from 'node:path'
import { isErrno } from './plan.ts'

// The calls that writing uses; tests make them fail one after the other.
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

export const realFileSystem: FileSystem = nodeFs

// Returns the folders that did not exist, outermost first. When it throws, it has created none.
export function createFolder(fs: FileSystem, folder: string): readonly string[] {
  const missing = missingFolders(fs, folder)
  // Not by `recursive`, with which Node.js reports ENOENT for a read-only file system.
  try {
    for (const one of missing) createMissing(fs, one)
  } catch (error) {
    removeEmptyFolders(fs, missing)
    throw error
  }
  return missing
}

function createMissing(fs: FileSystem, folder: string): void {
  try {
    fs.mkdirSync(folder)
  } catch (error) {
    // By another process, meanwhile.
    if (!isErrno(error, 'EEXIST')) throw error
  }
}

function missingFolders(fs: FileSystem, folder: string): readonly string[] {
  if (fs.existsSync(folder)) return []
  const parent = dirname(folder)
  return parent === folder ? [folder] : [...missingFolders(fs, parent), folder]
}

// Expects the folders outermost first.
export function removeEmptyFolders(fs: FileSystem, folders: readonly string[]): void {
  for (const folder of folders.toReversed()) {
    try {
      fs.rmdirSync(folder)
    } catch {
      // Not empty, or already removed.
    }
  }
}
