import { WebSocketServer } from 'ws'
import { api } from '../../../packages/core/test/faults/service.process.ts'

// The service of the fault tests, with connections that leave the HTTP server.
const webSockets = new WebSocketServer({ noServer: true })
api.server?.on('upgrade', (req, socket, head) => {
  if (req.url === '/ws') webSockets.handleUpgrade(req, socket, head, () => {})
  // Ends its side of the connection; the client may keep the other one open.
  else socket.end('HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: Upgrade\r\n\r\n')
})
api.server?.on('connect', (_req, socket) => socket.write('HTTP/1.1 200 OK\r\n\r\n'))
if (process.env['CLOSES_WEBSOCKETS'] === '1') {
  api.stopping.addEventListener('abort', () => {
    for (const client of webSockets.clients) client.close(1001)
  })
}
