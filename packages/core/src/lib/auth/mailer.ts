/** A mail to be sent. */
export interface Mail {
  /** What it is for. */
  readonly kind: MailKind
  /** Address it goes to. */
  readonly to: string
  /** Its subject. */
  readonly subject: string
  /** Its text. */
  readonly text: string
  /**
   * Its text as HTML.
   * @default undefined
   */
  readonly html?: string | undefined
  /** The link in it: good once, and only for a while. */
  readonly link?: string | undefined
}

/** What mails are for. */
export type MailKind = 'verify-email' | 'reset-password' | 'already-registered'

/** Sends mails; implement it to use a provider's own interface. */
export interface Mailer {
  /**
   * Sends a mail.
   * @param mail - what to send
   * @throws when it could not be handed over; that is logged, and the user can ask again
   */
  send(mail: Mail): Promise<void>
}
