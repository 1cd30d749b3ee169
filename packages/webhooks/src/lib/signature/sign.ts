import { createHmac } from 'node:crypto'

export interface Message {
  readonly id: string
  /** Seconds since 1970. */
  readonly timestamp: number
  readonly body: string | Buffer
}

// The value of `webhook-signature` for one key.
export function sign({ body, id, timestamp }: Message, key: Buffer): string {
  const mac = createHmac('sha256', key).update(`${id}.${timestamp}.`).update(body)
  return `v1,${mac.digest('base64')}`
}
