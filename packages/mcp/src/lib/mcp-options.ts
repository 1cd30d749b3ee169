import { type Api } from '@create-api/core'
import { type ToolChoices } from './choose-operations.ts'

/** Options for `mcp`. */
export interface McpOptions {
  /** The routes that become tools; nothing else does. */
  tools: ToolChoices
  /**
   * Path of the endpoint.
   * @default '/mcp'
   */
  path?: string | undefined
  /**
   * Public URL of the endpoint: the resource that access tokens are meant for (RFC 8707), and the name that `Host`
   * must have. Required in production.
   * @default the URL of the request
   */
  url?: string | undefined
  /**
   * Other names that `Host` may have, such as those that a reverse proxy sets.
   * @default []
   */
  hosts?: readonly string[] | undefined
  /**
   * Origins of web pages that may call the endpoint, besides that of `url`; in development also those of this
   * computer.
   * @default []
   */
  origins?: readonly string[] | undefined
  /**
   * Issuers of the access tokens, for the metadata of the resource (RFC 9728).
   * @default [], clients are given a token or an API key
   */
  authorizationServers?: readonly string[] | undefined
  /**
   * Whether calls without credentials are accepted. Each route still checks its own access.
   * @default false
   */
  anonymous?: boolean | undefined
  /**
   * Most items that one call of a list returns; it reads as many pages as that takes.
   * @default 200
   */
  maxItems?: number | undefined
  /**
   * Most bytes of JSON that a tool which reads returns.
   * @default 200_000
   */
  maxBytes?: number | undefined
}

/** The options with their defaults. */
export interface McpSettings {
  readonly tools: ToolChoices
  readonly path: string
  readonly url: string | undefined
  readonly hosts: readonly string[]
  readonly origins: readonly string[]
  readonly authorizationServers: readonly string[]
  readonly anonymous: boolean
  readonly maxItems: number
  readonly maxBytes: number
}

// Throws TypeError for what cannot work, before anything is served.
export function resolveOptions(api: Api, options: McpOptions): McpSettings {
  const settings = withDefaults(options)
  requirePlace(settings)
  requireLimits(settings)
  if (settings.url === undefined && api.config.environment === 'production') {
    throw new TypeError(
      "mcp() needs its public URL in production: mcp(api, { url: 'https://api.example.com/mcp' }).",
    )
  }
  if (!api.auth && !api.config.authenticator && !settings.anonymous) {
    throw new TypeError(
      'mcp() cannot identify callers: the API has no authentication. To let everyone call its tools: mcp(api, { anonymous: true }).',
    )
  }
  return settings
}

function withDefaults(options: McpOptions): McpSettings {
  return {
    tools: options.tools,
    path: options.path ?? '/mcp',
    url: options.url,
    hosts: options.hosts ?? [],
    origins: options.origins ?? [],
    authorizationServers: options.authorizationServers ?? [],
    anonymous: options.anonymous ?? false,
    maxItems: options.maxItems ?? 200,
    maxBytes: options.maxBytes ?? 200_000,
  }
}

function requirePlace({ path, url, origins }: McpSettings): void {
  if (!/^(?:\/[\w.~-]+)+$/.test(path)) throw new TypeError("mcp: path must be like '/mcp'.")
  if (url !== undefined && !isHttpUrl(url)) {
    throw new TypeError("mcp: url must be an absolute URL, such as 'https://api.example.com/mcp'.")
  }
  if (url !== undefined && !url.endsWith(path)) {
    throw new TypeError(
      `mcp: url must end with the path '${path}'. State another one: mcp(api, { path: '/…' }).`,
    )
  }
  const wrong = origins.find((origin) => !isHttpUrl(origin) || new URL(origin).origin !== origin)
  if (wrong !== undefined) {
    throw new TypeError(`mcp: '${wrong}' is not an origin, such as 'https://app.example.com'.`)
  }
}

function requireLimits({ maxBytes, maxItems }: McpSettings): void {
  for (const [name, value] of Object.entries({ maxBytes, maxItems })) {
    if (Number.isSafeInteger(value) && value >= 1) continue
    throw new TypeError(`mcp: ${name} must be a whole number of at least 1.`)
  }
}

function isHttpUrl(text: string): boolean {
  return URL.canParse(text) && /^https?:$/.test(new URL(text).protocol)
}
