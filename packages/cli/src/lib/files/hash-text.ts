import { createHash } from 'node:crypto'

// 32 hex digits; line endings do not count.
export function hashText(text: string): string {
  return createHash('sha256').update(text.replaceAll('\r\n', '\n')).digest('hex').slice(0, 32)
}
