import { setTimeout as sleep } from 'node:timers/promises'
import { call } from './client.ts'

// Asks a service the same thing again and again, from a process that does nothing else.
const [url = '', rate = '20'] = process.argv.slice(2)
const times: number[] = []
let failed = 0

process.on('message', () => {
  process.send?.({ times, failed }, () => process.exit())
})
process.on('disconnect', () => process.exit())
process.send?.('ready')
for (;;) {
  call(url).then(
    ({ took }) => times.push(took),
    () => failed++,
  )
  await sleep(1000 / Number(rate))
}
