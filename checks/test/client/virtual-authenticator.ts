import { type CDPSession, type Page } from 'playwright-core'

/** An authenticator of the browser, which agrees to everything. */
export interface VirtualAuthenticator {
  readonly cdp: CDPSession
  readonly authenticatorId: string
}

/**
 * Adds an authenticator with passkeys and verification of the user to a page.
 * @param page - the page
 * @returns the authenticator
 */
export async function addAuthenticator(page: Page): Promise<VirtualAuthenticator> {
  const cdp = await page.context().newCDPSession(page)
  await cdp.send('WebAuthn.enable', { enableUI: false })
  const options = {
    protocol: 'ctap2',
    transport: 'internal',
    hasResidentKey: true,
    hasUserVerification: true,
    isUserVerified: true,
    automaticPresenceSimulation: true,
  } as const
  const { authenticatorId } = await cdp.send('WebAuthn.addVirtualAuthenticator', { options })
  return { cdp, authenticatorId }
}
