// Draws the chart of the README from the results: node http/chart.js
import { readFileSync, writeFileSync } from 'node:fs'
import { toRatios } from './tables.js'

// The first one orders the rows.
const majors = ['24', '20']
const labels = {
  'raw-full': 'raw node:http, same features',
  ours: 'create-api',
  'ours-no-cache': 'create-api, no token cache',
  'ours-mounted': 'create-api in an existing app',
  'express-hand': 'Express by hand',
  'express-key': 'Express by hand, KeyObject',
  fastify: 'Fastify',
  koa: 'Koa',
  'nest-fastify': 'NestJS on Fastify',
  hono: 'Hono',
  'nest-express': 'NestJS on Express',
  feathers: 'Feathers',
  'express-zod-api': 'express-zod-api',
}
const row = { height: 40, left: 240, width: 450 }

const results = majors.map((major) => {
  const file = new URL(`../results/node${major}.json`, import.meta.url)
  const { samples } = JSON.parse(readFileSync(file, 'utf8'))
  const present = Object.keys(labels).filter((name) =>
    samples.some((sample) => sample.name === name),
  )
  const toMean = (name) =>
    toRatios(samples, { name, peer: 'express-hand', field: 'cpuMicros' }).mean
  return Object.fromEntries(present.map((name) => [name, toMean(name)]))
})
writeFileSync(new URL('../results/chart.svg', import.meta.url), draw())

function draw() {
  const most = Math.max(...results.flatMap((means) => Object.values(means)))
  const best = (name) => results.find((means) => name in means)?.[name] ?? 0
  const order = Object.keys(labels)
    .filter((name) => best(name) > 0)
    .toSorted((a, b) => best(b) - best(a))
  const height = order.length * row.height + 70
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 760 ${height}" font-family="system-ui, sans-serif" font-size="13" role="img">
<title>Requests per CPU-second as a multiple of hand-written Express</title>
<rect width="760" height="${height}" fill="#ffffff"/>
<text x="20" y="26" font-size="15" font-weight="600" fill="#1f2328">Requests per CPU-second, hand-written Express = 1</text>
<text x="20" y="46" fill="#59636e">the same features, no database; mean of eight workloads; dark Node 24, light Node 20</text>
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
  return `<text x="${row.left - 10}" y="${top + 19}" text-anchor="end" font-weight="${weight}" fill="#1f2328">${labels[name]}</text>${bars.join('')}`
}
