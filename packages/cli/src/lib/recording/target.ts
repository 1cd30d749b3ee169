import { CliError } from '../errors/cli-error.ts'

// The URL of a service, which may have a path that is put before those of requests.
export function requireTarget(option: string, text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined
  const isPlain = url && ['http:', 'https:'].includes(url.protocol) && !url.search && !url.hash
  if (url && isPlain && !url.username && !url.password) return url
  throw new CliError('USAGE', `${option} ${text} is not a URL of a service`, {
    hint: `such as ${option} http://localhost:3000`,
  })
}

export function isLocal({ hostname }: URL): boolean {
  return /^(localhost|.*\.localhost|127(\.\d+){3}|\[::1\])$/.test(hostname)
}
