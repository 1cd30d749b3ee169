import { type Tokens } from './tokens.ts'

// What the tabs of a session report to one another: its end, or tokens that are kept nowhere else.
export type TabMessage = 'logout' | Tokens

// The other tabs of a session.
export interface Tabs {
  postMessage(message: TabMessage): void
  close(): void
}

// Connects the tabs that use one name; undefined without a name, or without BroadcastChannel.
export function createTabs(
  name: string | undefined,
  onMessage: (message: TabMessage) => void,
): Tabs | undefined {
  if (name === undefined || typeof BroadcastChannel === 'undefined') return undefined
  const channel = new BroadcastChannel(name)
  channel.addEventListener('message', (event) => {
    onMessage((event as unknown as { data: TabMessage }).data)
  })
  // In Node an open channel would keep the process running.
  ;(channel as { unref?: () => void }).unref?.()
  return channel
}
