import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto'

// Encrypts what has to be read again, with AES-256-GCM.
export interface SecretBox {
  /** Binds the result to `owner`: it cannot be moved to another document. */
  seal: (text: string, owner: string) => string
  /** Undefined when no key opens it. */
  open: (sealed: string, owner: string) => { text: string; isCurrent: boolean } | undefined
}

const algorithm = 'aes-256-gcm'
const version = 'v1'

// The first secret encrypts, and all decrypt. Boxes of another purpose have other keys.
export function createSecretBox(secrets: readonly string[], purpose: string): SecretBox {
  const keys = secrets.map((secret) =>
    Buffer.from(hkdfSync('sha256', secret, 'create-api', purpose, 32)),
  )
  return {
    seal(text, owner) {
      const iv = randomBytes(12)
      const cipher = createCipheriv(algorithm, keys[0] ?? '', iv).setAAD(Buffer.from(owner))
      const data = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()])
      const parts = [iv, data, cipher.getAuthTag()].map((part) => part.toString('base64url'))
      return [version, ...parts].join('.')
    },
    open(sealed, owner) {
      for (const [index, key] of keys.entries()) {
        const text = decrypt(sealed, owner, key)
        if (text !== undefined) return { text, isCurrent: index === 0 }
      }
      return undefined
    },
  }
}

function decrypt(sealed: string, owner: string, key: Buffer): string | undefined {
  const [prefix, ...parts] = sealed.split('.')
  const [iv, data, tag] = parts.map((part) => Buffer.from(part, 'base64url'))
  if (prefix !== version || !iv || !data || !tag) return undefined
  try {
    const decipher = createDecipheriv(algorithm, key, iv, { authTagLength: 16 })
      .setAAD(Buffer.from(owner))
      .setAuthTag(tag)
    return Buffer.concat([decipher.update(data), decipher.final()]).toString('utf8')
  } catch {
    return undefined
  }
}
