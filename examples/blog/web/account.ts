import { Failure } from '@create-api/client'
import { loginWithPasskey, registerPasskey } from '@create-api/client/passkeys'
import { createClient } from '../src/client.js'
import { find } from './find.js'

// esbuild replaces it: see the script `web`.
declare const API_URL: string

const client = createClient({ url: API_URL, storage: 'local', onLogout: showLogin })
const { auth } = client

const alert = find('[role=alert]', HTMLElement)
const main = find('main', HTMLElement)
const login = find('#login', HTMLFormElement)
const code = find('#code', HTMLFormElement)
const proof = find('#proof', HTMLFormElement)
const confirm = find('#confirm', HTMLFormElement)

// The token of a login that needs a code.
let token = ''
// What waits for a proof of identity.
let repeat: (() => Promise<void>) | undefined
let pendingFactor = ''

onSubmit(login, async (read, button) => {
  const credentials = { email: read('email'), password: read('password') }
  await (button === 'register' ? auth.register(credentials) : auth.login(credentials))
  await showAccount()
})
onClick('#passkey', async () => {
  await loginWithPasskey(auth)
  await showAccount()
})
onClick('#provider', beginProviderLogin)
onSubmit(code, async (read) => {
  await auth.completeLogin({ token, code: read('code') })
  await showAccount()
})
onSubmit(proof, async (read) => {
  if (read('code') === '') await auth.reauthenticate({ password: read('password') })
  else await auth.reauthenticateByCode({ code: read('code') })
  proof.hidden = true
  await repeat?.()
})

onClick('#enrol', async () => {
  const { id, secret } = await auth.enrolTotp({ name: 'Application' })
  pendingFactor = id
  find('#secret', HTMLElement).textContent = secret
  confirm.hidden = false
})
onSubmit(confirm, async (read) => {
  const { recoveryCodes = [] } = await auth.confirmTotp(pendingFactor, {
    code: read('code'),
  })
  confirm.hidden = true
  await showAccount()
  find('#recovery', HTMLElement).replaceChildren(...recoveryCodes.map((one) => toItem(one)))
})
onClick('#add', async () => {
  await registerPasskey(auth, { name: 'Passkey' })
  await showAccount()
})
onClick('#logout', async () => {
  await auth.logoutAll()
  await client.session.logout()
})

void run(async () => {
  if (location.search !== '') await completeProviderLogin()
  else if (await client.session.isLoggedIn()) await showAccount()
  else showLogin()
})

// The page keeps a verifier, whose digest goes along with the browser (PKCE, RFC 7636).
async function beginProviderLogin(): Promise<void> {
  const verifier = toBase64Url(crypto.getRandomValues(new Uint8Array(32)))
  sessionStorage.setItem('verifier', verifier)
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(verifier))
  const challenge = toBase64Url(new Uint8Array(digest))
  location.href = `${API_URL}/api/v1/auth/identities/openid?codeChallenge=${challenge}`
}

async function completeProviderLogin(): Promise<void> {
  const query = new URLSearchParams(location.search)
  history.replaceState(undefined, '', location.pathname)
  showLogin()
  const error = query.get('error')
  if (error !== null) throw new Error(error)
  const codeVerifier = sessionStorage.getItem('verifier') ?? ''
  await auth.completeIdentityLogin({ code: query.get('code') ?? '', codeVerifier })
  await showAccount()
}

function toBase64Url(bytes: Uint8Array): string {
  return btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '')
}

function showLogin(): void {
  for (const element of [main, code, proof]) element.hidden = true
  login.hidden = false
}

async function showAccount(): Promise<void> {
  const [{ email }, { factors }, passkeys] = await Promise.all([
    auth.me(),
    auth.listFactors(),
    auth.listPasskeys(),
  ])
  for (const element of [login, code, proof]) element.hidden = true
  main.hidden = false
  find('#email', HTMLElement).textContent = email
  find('#factors', HTMLElement).replaceChildren(
    ...factors.map(({ id, name }) => toItem(name, () => auth.removeFactor(id))),
  )
  find('#passkeys', HTMLElement).replaceChildren(
    ...passkeys.map(({ id, name }) => toItem(name, () => auth.removePasskey(id))),
  )
}

function toItem(text: string, remove?: () => Promise<unknown>): HTMLElement {
  const item = document.createElement('li')
  item.append(text)
  if (remove) {
    const button = document.createElement('button')
    button.textContent = `Remove ${text}`
    button.addEventListener(
      'click',
      () => void run(async () => void (await remove(), showAccount())),
    )
    item.append(' ', button)
  }
  return item
}

// A login that needs a code, and a change that needs a proof of identity, ask for it.
async function run(action: () => Promise<void>): Promise<void> {
  alert.textContent = ''
  await action().catch((error: unknown) => {
    const { code: problem } = error instanceof Failure ? error : { code: '' }
    if (problem === 'second_factor_required' && proof.hidden) {
      token = String(Reflect.get(Object(error instanceof Failure && error.problem), 'token'))
      login.hidden = true
      code.hidden = false
    } else if (problem === 'reauthentication_required') {
      repeat = action
      proof.hidden = false
    } else alert.textContent = String(error)
  })
}

function onClick(selector: string, action: () => Promise<void>): void {
  find(selector, HTMLElement).addEventListener('click', () => void run(action))
}

function onSubmit(
  form: HTMLFormElement,
  action: (read: (name: string) => string, button: string) => Promise<void>,
): void {
  form.addEventListener('submit', (event) => {
    event.preventDefault()
    const button = event.submitter?.getAttribute('value') ?? ''
    void run(() =>
      action((name) => find(`#${form.id} [name=${name}]`, HTMLInputElement).value, button),
    )
  })
}
