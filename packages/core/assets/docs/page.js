// @ts-check
// The documentation page: reads the document of the service and lets every operation be tried.

/** @typedef {Record<string, any>} Json */

const address = new URL('../openapi.json', import.meta.url)
let token = ''

const api = await (await fetch(address)).json()
show(api)

/** @param {Json} document_ */
function show(document_) {
  document.title = document_.info.title
  byId('title').textContent = `${document_.info.title} ${document_.info.version}`
  byId('description').textContent = document_.info.description ?? ''
  const main = byId('operations')
  for (const { name } of document_.tags ?? []) {
    main.append(element('h2', { textContent: name }))
    for (const operation of findOperations(document_, name)) main.append(toDetails(operation))
  }
  main.removeAttribute('aria-busy')
}

byId('authorise').addEventListener('submit', (event) => {
  event.preventDefault()
  const field = byId('token')
  token = field instanceof HTMLInputElement ? field.value.trim() : ''
  byId('authorised').textContent = token === '' ? 'No token is sent.' : 'The token is sent.'
})

/**
 * @param {Json} document_
 * @param {string} tag
 */
function findOperations(document_, tag) {
  return Object.entries(document_.paths).flatMap(([path, item]) =>
    Object.entries(item)
      .filter(([, operation]) => operation.tags?.includes(tag))
      .map(([method, operation]) => ({ ...operation, path, method: method.toUpperCase() })),
  )
}

/** @param {Json} operation */
function toDetails(operation) {
  const details = element('details', { id: operation.operationId })
  const summary = element('summary')
  summary.append(
    element('span', { className: 'method', textContent: operation.method }),
    element('code', { textContent: operation.path }),
    ` ${operation.summary}`,
    element('span', { className: 'access', textContent: operation['x-access'] ?? '' }),
  )
  details.append(summary, toForm(operation))
  return details
}

/** @param {Json} operation */
function toForm(operation) {
  const form = element('form')
  for (const parameter of operation.parameters ?? []) form.append(toField(parameter))
  const [type, content] = Object.entries(operation.requestBody?.content ?? {})[0] ?? []
  if (content) {
    const value = JSON.stringify(content.example ?? {}, null, 2)
    form.append(element('textarea', { name: 'body', value, ariaLabel: `Body, ${type}` }))
  }
  const answer = element('div', { ariaLive: 'polite' })
  form.append(element('button', { type: 'submit', textContent: 'Send' }), answer)
  form.addEventListener('submit', async (event) => {
    event.preventDefault()
    answer.replaceChildren(...(await send(operation, new FormData(form), type)))
  })
  return form
}

/** @param {Json} parameter */
function toField(parameter) {
  const label = element('label')
  const title = parameter.description ?? ''
  const placeholder = String(parameter.schema?.default ?? '')
  const name = `${parameter.in} ${parameter.name}`
  label.append(
    `${parameter.name}${parameter.required ? ' *' : ''}`,
    element('input', { name, title, placeholder, required: parameter.required === true }),
  )
  return label
}

/**
 * @param {Json} operation
 * @param {FormData} fields
 * @param {string | undefined} type
 */
async function send(operation, fields, type) {
  const headers = new Headers(type ? { 'content-type': type } : {})
  if (token !== '') headers.set('authorization', `Bearer ${token}`)
  let path = operation.path
  const query = new URLSearchParams()
  for (const { in: place, name } of operation.parameters ?? []) {
    const value = read(fields, `${place} ${name}`)
    if (place === 'path') path = path.replace(`{${name}}`, encodeURIComponent(value))
    else if (value === '') continue
    else if (place === 'query') query.set(name, value)
    else headers.set(name, value)
  }
  const url = new URL(`..${path}${query.size > 0 ? `?${query}` : ''}`, import.meta.url)
  const { method } = operation
  const body = fields.has('body') ? read(fields, 'body') : undefined
  try {
    return toAnswer(await fetch(url, { method, headers, body }))
  } catch (error) {
    return [element('pre', { className: 'failed', textContent: String(error) })]
  }
}

/**
 * @param {FormData} fields
 * @param {string} name
 */
function read(fields, name) {
  const value = fields.get(name)
  return typeof value === 'string' ? value : ''
}

/**
 * @param {Response} answer
 * @returns {Promise<HTMLElement[]>}
 */
async function toAnswer(answer) {
  const text = await answer.text()
  const head = [...answer.headers].map(([name, value]) => `${name}: ${value}`).join('\n')
  const className = answer.ok ? 'answer' : 'answer failed'
  return [
    element('p', { className: 'status', textContent: `${answer.status} ${answer.statusText}` }),
    element('pre', { className, textContent: toPretty(text) }),
    element('pre', { className: 'headers', textContent: head }),
  ]
}

/** @param {string} text */
function toPretty(text) {
  try {
    return JSON.stringify(JSON.parse(text), null, 2)
  } catch {
    return text
  }
}

/**
 * @param {string} name
 * @param {Json} properties
 * @returns {HTMLElement}
 */
function element(name, properties = {}) {
  return Object.assign(document.createElement(name), properties)
}

/** @param {string} id */
function byId(id) {
  const found = document.getElementById(id)
  if (!found) throw new Error(`The page has no #${id}.`)
  return found
}
