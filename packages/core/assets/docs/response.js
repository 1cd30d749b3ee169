// @ts-check
import { element } from './dom.js'
import { authorise } from './authorise.js'
import { toNextSteps } from './next-steps.js'

/**
 * Renders a response: status, body and header fields.
 *
 * @param {Response} response
 * @param {number} milliseconds
 * @returns {Promise<HTMLElement[]>}
 */
export async function toResponseView(response, milliseconds) {
  const text = await readText(response)
  const value = parse(text)
  const kind = response.ok ? 'good' : response.status < 400 ? 'other' : 'bad'
  const status = element(
    'p',
    { className: `status ${kind}` },
    element('b', { textContent: `${response.status} ${response.statusText}` }),
    ` in ${Math.round(milliseconds)} ms`,
  )
  const shown = [status]
  if (text !== '') shown.push(element('pre', { className: 'body', tabIndex: 0 }, ...paint(value)))
  const token = value?.data?.accessToken
  if (typeof token === 'string') shown.push(toTokenButton(token))
  if (!response.ok) shown.push(...toNextSteps(value))
  const head = [...response.headers].map(([name, content]) => `${name}: ${content}`).join('\n')
  shown.push(
    element(
      'details',
      { className: 'headers' },
      element('summary', { textContent: 'Header fields' }),
      element('pre', { textContent: head }),
    ),
  )
  return shown
}

// How long events are shown; their response does not end.
const eventsMs = 5000

/** @param {Response} response */
async function readText(response) {
  const isEvents = response.headers.get('content-type')?.startsWith('text/event-stream')
  const reader = isEvents && response.body?.getReader()
  if (!reader) return response.text()
  const timer = setTimeout(() => reader.cancel(), eventsMs)
  const decoder = new TextDecoder()
  let text = ''
  for (;;) {
    const { done, value } = await reader.read()
    if (done) break
    text += decoder.decode(value, { stream: true })
  }
  clearTimeout(timer)
  return text
}

/**
 * Renders the error of a request without a response.
 *
 * @param {unknown} error
 * @returns {HTMLElement[]}
 */
export function toFailureView(error) {
  return [element('p', { className: 'status bad', textContent: `No response: ${String(error)}` })]
}

/** @param {string} token */
function toTokenButton(token) {
  const button = element('button', { type: 'button', textContent: 'Use this access token' })
  button.addEventListener('click', () => authorise(token))
  return button
}

/**
 * @param {string} text
 * @returns {any}
 */
function parse(text) {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

// The tokens of JSON: keys, strings and other values, each rendered with its own class.
const token = /("(?:[^"\\]|\\.)*")(\s*:)?|\b(?:true|false|null)\b|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g

/**
 * @param {unknown} value
 * @returns {(Node | string)[]}
 */
function paint(value) {
  if (typeof value === 'string') return [value]
  const text = JSON.stringify(value, null, 2)
  const parts = []
  let end = 0
  for (const match of text.matchAll(token)) {
    const [whole, quoted, colon] = match
    parts.push(text.slice(end, match.index))
    const className = colon ? 'key' : quoted ? 'text' : 'value'
    parts.push(element('span', { className, textContent: quoted ?? whole }), colon ?? '')
    end = match.index + whole.length
  }
  return [...parts, text.slice(end)]
}
