// Parsers of URLs remove tabs, line ends and the segments `.` and `..`, also where they are encoded (WHATWG URL); proxies
// may decode twice.
const outside = /^[^/]|^$|[\t\n\r]|[/\\](\.|%(25)?2e){1,2}([/\\?#]|$)/i

// The base of all URLs, with a slash at its end. In a page, the URL of an API can be relative.
export function toBase(url: string): string {
  const { location } = globalThis as { location?: { href: string } }
  return new URL(url || '/', location?.href).href.replace(/\/?$/, '/')
}

// A URL below the base: no path leads to another host, or out of the API.
export function toUrl(base: string, path: string): string {
  if (outside.test(path)) throw new TypeError(`${path} leads out of the API.`)
  return base + path.slice(1)
}
