// @ts-check
// Measures `api import`: lines a second, and the memory of the command and of the application that it starts, with the embedded
// database in a folder.
// Usage: node benchmarks/imports/run.js [lines] (build the packages first; Linux)
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  createWriteStream,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const lines = Number(process.argv[2] ?? '200000')
const root = fileURLToPath(new URL('../../', import.meta.url))
const project = mkdtempSync(join(tmpdir(), 'import-'))
function writeProject() {
  symlinkSync(join(root, 'node_modules'), join(project, 'node_modules'))
  mkdirSync(join(project, 'src'))
  writeFileSync(join(project, 'api.config.json'), '{}')
  writeFileSync(join(project, 'package.json'), '{ "type": "module" }')
  writeFileSync(join(project, 'src/app.ts'), app)
}

const app = `
import { createApi, createRegistry, createRouter, post, success } from '@create-api/core'
import { createDocument, toOutputSchema } from '@create-api/core/resource'
import mongoose from 'mongoose'
import { z } from 'zod'

const body = z.strictObject({
  customer: z.string(),
  status: z.enum(['open', 'paid', 'sent', 'closed']),
  total: z.number(),
  address: z.strictObject({ street: z.string(), city: z.string() }),
  note: z.string(),
})
const address = new mongoose.Schema({ street: String, city: String }, { _id: false })
const schema = new mongoose.Schema(
  { customer: String, status: String, total: Number, address, note: String },
  { timestamps: true },
)
const OrderModel = mongoose.model('Order', schema)
const router = createRouter(
  [
    post('/', { body, response: toOutputSchema(body), status: 201 }, async (req, res) => {
      success(res.status(201), await createDocument(OrderModel, req.valid.body, { scope: req.scope }))
    }),
  ],
  { access: 'public', model: OrderModel },
)
export const api = createApi({ auth: false, routes: createRegistry().use('/api/orders', router) })
`

try {
  writeProject()
  await writeLines(join(project, 'orders.csv'))
  await measure()
} finally {
  rmSync(project, { recursive: true, force: true })
}

/** @param {string} path */
async function writeLines(path) {
  const file = createWriteStream(path)
  file.write('customer,status,total,address.street,address.city,note\n')
  for (let from = 0; from < lines; from += 1000) {
    const length = Math.min(1000, lines - from)
    const isFree = file.write(Array.from({ length }, (_, i) => toLine(from + i)).join(''))
    if (!isFree) await once(file, 'drain')
  }
  file.end()
  await once(file, 'close')
}

/** @param {number} i */
function toLine(i) {
  const note = `Order ${i}, to be ""delivered"" to the reception. `.padEnd(120, 'x')
  return `customer-${i}@example.org,${['open', 'paid', 'sent', 'closed'][i % 4]},${i / 100},Street ${i % 300},Graz,"${note}"\n`
}

async function measure() {
  const command = join(root, 'packages/cli/bin/api.js')
  const start = performance.now()
  const child = spawn(process.execPath, [command, 'import', 'orders', 'orders.csv'], {
    cwd: project,
    stdio: ['ignore', 'inherit', 'inherit'],
  })
  const highest = { command: 0, application: 0 }
  const timer = setInterval(() => {
    highest.command = Math.max(highest.command, readMemory(child.pid))
    for (const pid of listChildren(child.pid)) {
      highest.application = Math.max(highest.application, readMemory(pid))
    }
  }, 100)
  const [code] = await once(child, 'exit')
  clearInterval(timer)
  const seconds = (performance.now() - start) / 1000
  const megabytes = (statSync(join(project, 'orders.csv')).size / 1e6).toFixed(0)
  console.log(
    `${lines} lines, ${megabytes} MB: ${seconds.toFixed(0)} s, ${(lines / seconds).toFixed(0)} a second, exit code ${code}; at most ${highest.command} MB of memory for the command, ${highest.application} MB for the application with the database`,
  )
}

/** @param {number | undefined} pid */
function readMemory(pid) {
  const [, kilobytes = '0'] = /VmRSS:\s+(\d+)/.exec(readProcess(pid, 'status')) ?? []
  return Math.round(Number(kilobytes) / 1000)
}

/** @param {number | undefined} pid */
function listChildren(pid) {
  return readProcess(pid, `task/${pid}/children`).split(' ').filter(Boolean).map(Number)
}

/** @param {number | undefined} pid @param {string} name */
function readProcess(pid, name) {
  try {
    return readFileSync(`/proc/${pid}/${name}`, 'utf8')
  } catch {
    // It has exited.
    return ''
  }
}
