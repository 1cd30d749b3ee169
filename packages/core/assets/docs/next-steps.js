// @ts-check
import { element } from './dom.js'

/** @typedef {readonly [operationId: string, label: string, body: object]} NextStep */

/** @type {ReadonlyMap<string, readonly NextStep[]>} */
const steps = new Map([
  ['second_factor_required', [['completeLogin', 'Enter a code', { code: '' }]]],
  [
    'second_factor_setup_required',
    [
      ['enrolAtLogin', 'Set up a factor', {}],
      ['completeLogin', 'Enter a code', { code: '' }],
    ],
  ],
])

/**
 * Renders buttons that continue a login, for a problem with a token for the next step.
 *
 * @param {any} problem
 * @returns {HTMLElement[]}
 */
export function toNextSteps(problem) {
  const { code, token } = Object(problem)
  if (typeof token !== 'string') return []
  return (steps.get(code) ?? []).flatMap(([operationId, textContent, body]) => {
    const details = document.getElementById(operationId)
    if (!(details instanceof HTMLDetailsElement)) return []
    const button = element('button', { type: 'button', textContent })
    button.addEventListener('click', () => open(details, { token, ...body }))
    return [button]
  })
}

/**
 * @param {HTMLDetailsElement} details
 * @param {object} body
 */
function open(details, body) {
  const fill = () => {
    const field = details.querySelector('textarea')
    if (field) field.value = JSON.stringify(body, null, 2)
  }
  // The form is rendered when the operation is first opened.
  if (details.open) fill()
  else details.addEventListener('toggle', fill, { once: true })
  location.hash = details.id
}
