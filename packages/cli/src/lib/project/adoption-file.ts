import { existsSync } from 'node:fs'
import { join } from 'node:path'

export const adoptionFile = '.api/adoption.json'

// Whether the API was added to an application that existed: the files around it are the application's own.
export function isAdopted(root: string): boolean {
  return existsSync(join(root, adoptionFile))
}
