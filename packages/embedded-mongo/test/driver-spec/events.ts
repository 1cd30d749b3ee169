import { setTimeout as delay } from 'node:timers/promises'
import { type Document, type MongoClient, type MongoClientEvents } from 'mongodb'

/** What a client did, under the names of the specification, in order. */
export interface EventLog {
  list(type: string): RecordedEvent[]
  /** The commands sent, whether or not the test observes them. */
  commands: Document[]
  waitFor(name: string, count: number): Promise<void>
}

export interface RecordedEvent {
  name: string
  event: Document
}

const driverEvents: Readonly<Record<string, [keyof MongoClientEvents, string]>> = {
  commandStartedEvent: ['commandStarted', 'command'],
  commandSucceededEvent: ['commandSucceeded', 'command'],
  commandFailedEvent: ['commandFailed', 'command'],
  connectionCheckedInEvent: ['connectionCheckedIn', 'cmap'],
  connectionCheckedOutEvent: ['connectionCheckedOut', 'cmap'],
  connectionCheckOutFailedEvent: ['connectionCheckOutFailed', 'cmap'],
  connectionCheckOutStartedEvent: ['connectionCheckOutStarted', 'cmap'],
  connectionClosedEvent: ['connectionClosed', 'cmap'],
  connectionCreatedEvent: ['connectionCreated', 'cmap'],
  connectionReadyEvent: ['connectionReady', 'cmap'],
  poolClearedEvent: ['connectionPoolCleared', 'cmap'],
  poolClosedEvent: ['connectionPoolClosed', 'cmap'],
  poolCreatedEvent: ['connectionPoolCreated', 'cmap'],
  poolReadyEvent: ['connectionPoolReady', 'cmap'],
  serverDescriptionChangedEvent: ['serverDescriptionChanged', 'sdam'],
  topologyDescriptionChangedEvent: ['topologyDescriptionChanged', 'sdam'],
}

const sensitive =
  /^(?:authenticate|saslStart|saslContinue|getnonce|createUser|updateUser|copydb\w*)$/i

const waitMs = 10_000

// The driver hides a handshake that authenticates.
function isRedacted(event: Document): boolean {
  const content = event['command'] ?? event['reply']
  return (
    /^(?:hello|ismaster)$/i.test(event['commandName']) && Object.keys(content ?? {}).length === 0
  )
}

export function recordEvents(client: MongoClient, spec: Document): EventLog {
  const seen: RecordedEvent[] = []
  const commands: Document[] = []
  const ignored = new Set<string>([
    'configureFailPoint',
    ...(spec['ignoreCommandMonitoringEvents'] ?? []),
  ])
  const isIgnored = (command: string): boolean =>
    ignored.has(command) || (sensitive.test(command) && spec['observeSensitiveCommands'] !== true)
  const isHidden = (command: string, event: Document): boolean =>
    isIgnored(command) || (spec['observeSensitiveCommands'] !== true && isRedacted(event))
  client.on('commandStarted', ({ command, commandName }) => {
    if (!isIgnored(commandName)) commands.push(command)
  })
  for (const name of spec['observeEvents'] ?? []) {
    const known = driverEvents[name]
    if (!known) throw new Error(`This runner observes no ${name}`)
    client.on(known[0], (event: object) => {
      const { commandName } = event as { commandName?: string }
      if (commandName !== undefined && isHidden(commandName, event)) return
      seen.push({ name, event })
    })
  }
  return {
    commands,
    list: (type) => seen.filter(({ name }) => driverEvents[name]?.[1] === type),
    async waitFor(name, count) {
      const end = Date.now() + waitMs
      while (seen.filter((item) => item.name === name).length < count) {
        if (Date.now() > end) throw new Error(`Fewer than ${count} ${name} in ${waitMs} ms`)
        await delay(5)
      }
    },
  }
}
