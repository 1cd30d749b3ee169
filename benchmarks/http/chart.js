// Draws the chart of the README from the results: node http/chart.js
import { readFileSync, writeFileSync } from 'node:fs'
import { toRatios } from './report.js'

const majors = ['20', '24']
const shown = [
  'raw-full',
  'ours',
  'ours-mounted',
  'fastify',
  'koa',
  'nest-fastify',
  'hono',
  'nest-express',
  'feathers',
  'express-zod-api',
]
const labels = {
  'raw-full': 'raw node:http, same features',
  ours: 'create-api',
  'ours-mounted': 'create-api in an existing app',
  fastify: 'Fastify',
  koa: 'Koa',
  'nest-fastify': 'NestJS on Fastify',
  hono: 'Hono',
  'nest-express': 'NestJS on Express',
  feathers: 'Feathers',
  'express-zod-api': 'express-zod-api',
}
const row = { height: 44, left: 230, width: 460 }

const results = majors.map((major) => {
  const file = new URL(`../results/node${major}.json`, import.meta.url)
  const { samples } = JSON.parse(readFileSync(file, 'utf8'))
  const present = shown.filter((name) => samples.some((sample) => sample.name === name))
  const toMean = (name) =>
    toRatios(samples, { name, peer: 'express-hand', field: 'cpuMicros' }).mean
  return Object.fromEntries(present.map((name) => [name, toMean(name)]))
})
writeFileSync(new URL('../results/chart.svg', import.meta.url), draw())

function draw() {
  const most = Math.max(...results.flatMap((means) => Object.values(means)))
  const order = shown.toSorted((a, b) => results[0][b] - results[0][a])
  const height = order.length * row.height + 70
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 760 ${height}" font-family="system-ui, sans-serif" font-size="13" role="img">
<title>Requests per CPU-second as a multiple of hand-written Express</title>
<rect width="760" height="${height}" fill="#ffffff"/>
<text x="20" y="26" font-size="15" font-weight="600" fill="#1f2328">Requests per CPU-second, hand-written Express = 1</text>
<text x="20" y="46" fill="#59636e">geometric mean of eight workloads; dark Node 20, light Node 24</text>
${order.map((name, index) => drawRow(name, 60 + index * row.height, most)).join('\n')}
</svg>
`
}

function drawRow(name, top, most) {
  const isOurs = name.startsWith('ours')
  const colors = isOurs ? ['#1a7f37', '#7fd196'] : ['#57606a', '#b6bfc9']
  const bars = results.map((means, index) => {
    if (means[name] === undefined) return ''
    const y = top + index * 17
    const width = ((means[name] / most) * row.width).toFixed(1)
    const text = `<text x="${row.left + Number(width) + 6}" y="${y + 12}" fill="#1f2328">${means[name].toFixed(1)}</text>`
    return `<rect x="${row.left}" y="${y}" width="${width}" height="15" rx="2" fill="${colors[index]}"/>${text}`
  })
  const weight = isOurs ? 600 : 400
  return `<text x="${row.left - 10}" y="${top + 20}" text-anchor="end" font-weight="${weight}" fill="#1f2328">${labels[name]}</text>${bars.join('')}`
}
