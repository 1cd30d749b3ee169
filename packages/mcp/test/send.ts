import { request } from 'node:http'

export interface Reply {
  readonly status: number
  readonly headers: Readonly<Record<string, unknown>>
  readonly text: string
}

// As a hostile client writes it: any header, any body.
export function send(
  url: string,
  message: unknown,
  headers: Readonly<Record<string, string>> = {},
  method = 'POST',
  path = '/mcp',
): Promise<Reply> {
  const body = typeof message === 'string' ? message : JSON.stringify(message)
  const usual = {
    Accept: 'application/json, text/event-stream',
    'Content-Type': 'application/json',
    'Content-Length': String(Buffer.byteLength(body)),
  }
  return new Promise((resolve, reject) => {
    const sent = request(new URL(path, url), { method, headers: { ...usual, ...headers } })
    sent.once('error', reject).once('response', (response) => {
      let text = ''
      response.setEncoding('utf8').on('data', (chunk: string) => (text += chunk))
      const { headers: fields, statusCode: status = 0 } = response
      response.once('end', () => resolve({ status, headers: fields, text }))
    })
    sent.end(body)
  })
}

export const list = { jsonrpc: '2.0', id: 1, method: 'tools/list' }
export const callOf = (name: unknown, values?: unknown): object => ({
  jsonrpc: '2.0',
  id: 1,
  method: 'tools/call',
  params: { name, arguments: values },
})
