// @ts-check
// The documentation page: renders the OpenAPI document of the service, with a form for each operation.
import { listenForToken } from './authorise.js'
import { byId, element } from './dom.js'
import { toDetails, toMethod } from './operation.js'
import { session } from './request.js'

/** @typedef {import('./dom.js').Json} Json */

const response = await fetch(new URL('../openapi.json', import.meta.url))
show(await response.json())
listenForToken()
listenForSearch()
listenForTheme()
openLinked()
addEventListener('hashchange', openLinked)

/** @param {Json} api */
function show(api) {
  document.title = api.info.title
  byId('title').textContent = api.info.title
  byId('version').textContent = api.info.version
  byId('description').textContent = api.info.description ?? ''
  session.scheme = toScheme(Object.values(api.components?.securitySchemes ?? {})[0])
  const main = byId('operations')
  for (const { name } of api.tags ?? []) {
    const operations = findOperations(api, name)
    main.append(
      element(
        'section',
        {},
        element('h2', { textContent: name }),
        ...operations.map((operation) => toDetails(api, operation)),
      ),
    )
    byId('contents').append(toGroup(name, operations))
  }
  main.removeAttribute('aria-busy')
}

// A scheme other than Bearer is named in the description: "`Token`, a space and the access token."
/** @param {Json | undefined} scheme */
function toScheme(scheme) {
  const [, word] = /^`(\S+)`/.exec(scheme?.description ?? '') ?? []
  return scheme?.type === 'apiKey' && word ? word : 'Bearer'
}

/**
 * @param {Json} api
 * @param {string} tag
 * @returns {Json[]}
 */
function findOperations(api, tag) {
  return Object.entries(api.paths).flatMap(([path, item]) =>
    Object.entries(item)
      .filter(([, operation]) => operation.tags?.includes(tag))
      .map(([method, operation]) => ({ ...operation, path, method: method.toUpperCase() })),
  )
}

/**
 * @param {string} name
 * @param {Json[]} operations
 */
function toGroup(name, operations) {
  const links = operations.map(({ method, operationId, path, summary }) =>
    element(
      'a',
      { href: `#${operationId}`, title: `${method} ${path}` },
      toMethod(method),
      summary ?? path,
    ),
  )
  return element('details', { open: true }, element('summary', { textContent: name }), ...links)
}

function openLinked() {
  const details = document.getElementById(location.hash.slice(1))
  if (!(details instanceof HTMLDetailsElement)) return
  details.open = true
  details.scrollIntoView()
  details.querySelector('summary')?.focus({ preventScroll: true })
}

function listenForSearch() {
  const search = byId('search')
  if (!(search instanceof HTMLInputElement)) return
  search.addEventListener('input', () => {
    const words = search.value.toLowerCase().split(/\s+/)
    for (const group of byId('contents').children) {
      const links = [...group.querySelectorAll('a')]
      for (const link of links) {
        const text = `${link.title} ${link.textContent}`.toLowerCase()
        link.hidden = !words.every((word) => text.includes(word))
      }
      group.toggleAttribute(
        'hidden',
        links.every((link) => link.hidden),
      )
    }
  })
  addEventListener('keydown', (event) => {
    const isTyping = event.target instanceof Element && event.target.matches('input, textarea')
    if (event.key !== '/' || isTyping) return
    event.preventDefault()
    search.focus()
  })
}

function listenForTheme() {
  const { dataset } = document.documentElement
  const isDark = matchMedia('(prefers-color-scheme: dark)')
  byId('theme').addEventListener('click', () => {
    const now = dataset['theme'] ?? (isDark.matches ? 'dark' : 'light')
    dataset['theme'] = now === 'dark' ? 'light' : 'dark'
  })
}
