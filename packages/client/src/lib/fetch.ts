/** The function that sends requests: that of the platform, or one with the same parameters. */
export type Fetch = (input: string | URL | Request, init?: RequestInit) => Promise<Response>
