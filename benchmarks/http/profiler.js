// Lets a process be profiled from outside.
import { Session } from 'node:inspector/promises'

const samplingMicros = 200

/**
 * Answers `{ profile: 'start' }` when sampling has begun, and `{ profile: 'stop' }` with the profile.
 */
export function answerProfiler() {
  const session = new Session()
  process.on('message', async ({ profile }) => {
    if (profile === 'start') {
      session.connect()
      await session.post('Profiler.enable')
      await session.post('Profiler.setSamplingInterval', { interval: samplingMicros })
      await session.post('Profiler.start')
      process.send({ started: true })
    }
    if (profile === 'stop') {
      const { profile: found } = await session.post('Profiler.stop')
      session.disconnect()
      process.send({ profile: found })
    }
  })
}
