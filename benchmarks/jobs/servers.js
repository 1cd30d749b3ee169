// @ts-check
// The servers of these benchmarks, each in a process for itself.
import { fork, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'

// The unit of the times in /proc.
const ticks = 100

/**
 * CPU seconds of a process.
 * @param {number} pid
 */
export function readCpu(pid) {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
    .replace(/^.*\) /, '')
    .split(' ')
  return (Number(fields[11]) + Number(fields[12])) / ticks
}

export async function startDatabase() {
  const child = fork(path.join(import.meta.dirname, 'database.js'))
  const [url] = await once(child, 'message')
  const stop = async () => {
    child.kill()
    await once(child, 'exit')
  }
  return { url: String(url), pid: child.pid ?? 0, stop }
}

export async function startRedis() {
  const port = await findFreePort()
  const folder = mkdtempSync(path.join(tmpdir(), 'redis-'))
  const settings = ['--port', String(port), '--save', '', '--appendonly', 'no', '--dir', folder]
  const child = spawn('redis-server', settings, { stdio: ['ignore', 'pipe', 'inherit'] })
  for await (const chunk of child.stdout) if (String(chunk).includes('Ready to accept')) break
  child.stdout.resume()
  const stop = async () => {
    child.kill()
    await once(child, 'exit')
    rmSync(folder, { recursive: true })
  }
  return { url: `redis://127.0.0.1:${port}`, pid: child.pid ?? 0, stop }
}

async function findFreePort() {
  const probe = createServer().listen(0, '127.0.0.1')
  await once(probe, 'listening')
  const address = probe.address()
  probe.close()
  await once(probe, 'close')
  return typeof address === 'object' && address ? address.port : 0
}
