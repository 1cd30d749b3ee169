import { z } from 'zod'

/** The address that a login by mail is requested for. */
export interface LoginLinkInput {
  /** Address of the user. */
  readonly email: string
}

/** A login by mail that was requested. */
export interface LoginLinkRequest {
  /** Token that completes the login together with the link or the code. Keep it in the browser. */
  readonly requestToken: string
  /** Remaining lifetime in seconds. */
  readonly expiresIn: number
}

/** The completion of a login by mail: `token` or `code`. */
export interface LinkLoginInput {
  /** The token of the request. */
  readonly requestToken: string
  /**
   * The token of the link.
   * @default undefined
   */
  readonly token?: string | undefined
  /**
   * The code of the mail.
   * @default undefined
   */
  readonly code?: string | undefined
}

const token = z.string().regex(/^[\w-]{43}$/, 'must be a token')

export const linkLoginInput = z
  .strictObject({
    requestToken: token,
    token: token.optional(),
    code: z
      .string()
      .trim()
      .regex(/^[A-Za-z2-9]{4}[ -]?[A-Za-z2-9]{4}$/, 'must be a code such as ABCD-EFGH')
      .transform((text) => text.toUpperCase().replace(/[ -]/, ''))
      .optional(),
  })
  .refine(({ code, token: own }) => (code === undefined) !== (own === undefined), {
    error: 'needs either token or code',
  })
export const linkRequest = z.object({ requestToken: z.string(), expiresIn: z.int() })
