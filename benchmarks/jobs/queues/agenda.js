// @ts-check
import { MongoBackend, MongoChangeStreamNotificationChannel } from '@agendajs/mongo-backend'
import { Agenda } from 'agenda'
import { MongoClient } from 'mongodb'

/** @type {import('./queue.d.ts').OpenQueue} */
export async function open({ concurrency, lease, run, url }) {
  const client = await MongoClient.connect(url)
  const db = client.db('agenda')
  const agenda = new Agenda({
    backend: new MongoBackend({ mongo: db }),
    notificationChannel: new MongoChangeStreamNotificationChannel({ db }),
    processEvery: '1 second',
    ...(lease && { defaultLockLifetime: lease }),
    maxConcurrency: concurrency,
    defaultConcurrency: concurrency,
    // Without limits it locks all jobs that it finds, and each lock skips those before it.
    lockLimit: concurrency,
    defaultLockLimit: concurrency,
  })
  agenda.define('number', async ({ attrs }) => run(attrs.data.n, (write) => write()))
  await agenda.ready
  return {
    add: (n) => agenda.now('number', { n }),
    work: () => agenda.start(),
    async close() {
      await agenda.stop()
      await client.close()
    },
  }
}
