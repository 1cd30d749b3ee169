// @ts-check
import { element } from './dom.js'
import { multipart, partPrefix, toCurl, toRequest } from './request.js'
import { toFailureView, toResponseView } from './response.js'
import { resolve, toFieldList, toTypeText } from './schema.js'

/** @typedef {import('./dom.js').Json} Json */

/**
 * Renders one operation: a form to try it with its parameters and body, and its responses.
 *
 * @param {Json} api the document
 * @param {Json} operation with its path and method
 * @returns {HTMLElement}
 */
export function toDetails(api, operation) {
  const details = element(
    'details',
    { id: operation.operationId, className: 'operation' },
    element(
      'summary',
      {},
      toMethod(operation.method),
      element('code', { textContent: operation.path }),
      element('span', { className: 'summary', textContent: operation.summary ?? '' }),
      ...toDeprecation(operation),
      element('span', { className: 'access', textContent: operation['x-access'] ?? '' }),
    ),
  )
  // Rendered when it is first opened, so that a page of two hundred operations loads at once.
  details.addEventListener(
    'toggle',
    () => details.append(element('div', { className: 'parts' }, ...toParts(api, operation))),
    { once: true },
  )
  return details
}

/**
 * Renders a method.
 *
 * @param {string} method
 * @returns {HTMLElement}
 */
export function toMethod(method) {
  return element('span', { className: `method ${method.toLowerCase()}`, textContent: method })
}

/** @param {Json} operation */
function toDeprecation(operation) {
  if (!operation.deprecated) return []
  const sunset = operation['x-sunset'] === undefined ? '' : ` until ${operation['x-sunset']}`
  return [element('span', { className: 'deprecated', textContent: `deprecated${sunset}` })]
}

/**
 * @param {Json} api
 * @param {Json} operation
 */
function toParts(api, operation) {
  const description = operation.description
    ? [element('p', { textContent: operation.description })]
    : []
  return [...description, toForm(api, operation), toResponses(api, operation)]
}

/**
 * @param {Json} api
 * @param {Json} operation
 */
function toForm(api, operation) {
  const form = document.createElement('form')
  form.append(element('h4', { textContent: 'Try it' }))
  for (const parameter of operation.parameters ?? []) form.append(toField(api, parameter))
  const [type, content] = Object.entries(resolve(api, operation.requestBody).content ?? {})[0] ?? []
  if (type === multipart) form.append(...toPartInputs(api, content))
  else if (content) form.append(...toBody(api, type ?? '', content))
  const curl = element('button', { type: 'button', textContent: 'Copy as curl' })
  const output = element('div', { className: 'response-view', ariaLive: 'polite' })
  form.append(
    element('p', { className: 'actions' }, element('button', { textContent: 'Send' }), curl),
    output,
  )
  curl.addEventListener('click', async () => {
    await navigator.clipboard.writeText(toCurl(toRequest(operation, form, type)))
    curl.textContent = 'Copied'
  })
  form.addEventListener('submit', async (event) => {
    event.preventDefault()
    const { url, ...request } = toRequest(operation, form, type)
    const start = performance.now()
    output.ariaBusy = 'true'
    try {
      const response = await fetch(url, request)
      output.replaceChildren(...(await toResponseView(response, performance.now() - start)))
    } catch (error) {
      output.replaceChildren(...toFailureView(error))
    }
    output.ariaBusy = 'false'
  })
  form.addEventListener('keydown', (event) => {
    if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) form.requestSubmit()
  })
  return form
}

/**
 * @param {Json} api
 * @param {Json} parameter
 */
function toField(api, parameter) {
  const schema = resolve(api, parameter.schema)
  const required = parameter.required === true
  const name = `${parameter.in} ${parameter.name}`
  const placeholder = String(schema.default ?? '')
  const values = schema.enum ?? (schema.type === 'boolean' ? ['true', 'false'] : undefined)
  const input = values
    ? element('select', { name, required }, ...['', ...values].map(toOption))
    : element('input', { name, required, placeholder, autocomplete: 'off' })
  const hints = [required ? 'required' : '', parameter.in === 'query' ? '' : parameter.in]
  return element(
    'label',
    { title: parameter.description ?? '' },
    element('code', { textContent: parameter.name }),
    input,
    element('small', {
      textContent: [...hints, toTypeText(api, schema)].filter((hint) => hint !== '').join(' · '),
    }),
  )
}

/** @param {string} value */
function toOption(value) {
  return element('option', { value, textContent: value })
}

/**
 * @param {Json} api
 * @param {string} type
 * @param {Json} content
 */
function toBody(api, type, content) {
  const value = JSON.stringify(content.example ?? {}, null, 2)
  const rows = Math.min(value.split('\n').length + 1, 20)
  return [
    element(
      'label',
      { className: 'wide' },
      element('span', { textContent: `Body, ${type}` }),
      element('textarea', { name: 'body', value, rows, spellcheck: false }),
    ),
    element(
      'details',
      {},
      element('summary', { textContent: 'Fields of the body' }),
      toFieldList(api, content.schema),
    ),
  ]
}

/**
 * @param {Json} api
 * @param {Json} content
 */
function toPartInputs(api, { encoding = {}, schema }) {
  const { properties = {}, required = [] } = resolve(api, schema)
  return Object.entries(properties).map(([name, property]) => {
    const resolved = resolve(api, property)
    const one = resolve(api, resolved.items ?? resolved)
    const isFile = one.format === 'binary'
    const hints = [required.includes(name) ? 'required' : '', toTypeText(api, resolved)]
    return element(
      'label',
      { title: one.description ?? '' },
      element('code', { textContent: name }),
      element('input', {
        name: partPrefix + name,
        type: isFile ? 'file' : 'text',
        required: required.includes(name),
        autocomplete: 'off',
        ...(isFile && {
          multiple: resolved.type === 'array',
          accept: encoding[name]?.contentType ?? '',
        }),
      }),
      element('small', { textContent: hints.filter((hint) => hint !== '').join(' · ') }),
    )
  })
}

/**
 * @param {Json} api
 * @param {Json} operation
 */
function toResponses(api, operation) {
  const section = element('section', {}, element('h4', { textContent: 'Responses' }))
  for (const [status, response] of Object.entries(operation.responses ?? {})) {
    section.append(toResponse(api, status, resolve(api, response)))
  }
  return section
}

/**
 * @param {Json} api
 * @param {string} status
 * @param {Json} response
 */
function toResponse(api, status, response) {
  const kind = status.startsWith('2') ? 'good' : status.startsWith('3') ? 'other' : 'bad'
  const [type, content] = Object.entries(response.content ?? {})[0] ?? []
  const schema = content && resolve(api, content.schema)
  return element(
    'details',
    { className: 'response' },
    element(
      'summary',
      {},
      element('b', { className: kind, textContent: status }),
      ` ${response.description}`,
    ),
    ...(type ? [element('p', {}, element('small', { textContent: type }))] : []),
    ...(schema ? [toFieldList(api, schema)] : []),
  )
}
