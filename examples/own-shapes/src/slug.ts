import { randomBytes } from 'node:crypto'

/** Returns a part of a path that is unique and reads like the title. */
export function toSlug(title: string): string {
  const words = title.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []
  return [...words, randomBytes(4).toString('hex')].join('-')
}
