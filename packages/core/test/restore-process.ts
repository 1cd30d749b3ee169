import mongoose from 'mongoose'
import { afterAll, vi } from 'vitest'

// The next file of the process registers models under the same names, and expects the settings of a new process.
// Listeners of the process stay, because core adds its own only once.
const options: object = Reflect.get(mongoose, 'options')
const before = { env: { ...process.env }, options: { ...options } }

afterAll(async () => {
  vi.useRealTimers()
  await mongoose.disconnect()
  mongoose.connection.deleteModel(/./)
  restore(process.env, before.env)
  restore(options, before.options)
})

function restore(target: object, values: object): void {
  for (const name of Object.keys(target)) {
    if (!(name in values)) Reflect.deleteProperty(target, name)
  }
  Object.assign(target, values)
}
