import { createClient, type PostPage, type PostView } from '../src/client.js'
import { find } from './find.js'

// esbuild replaces it: see the script `web`.
declare const API_URL: string

const client = createClient({ url: API_URL, storage: 'local', onLogout: showLogin })

const alert = find('[role=alert]', HTMLElement)
const main = find('main', HTMLElement)
const login = find('#login', HTMLFormElement)
const list = find('#posts', HTMLElement)
const more = find('#more', HTMLButtonElement)
const edit = find('#edit', HTMLFormElement)
const theirs = find('#theirs', HTMLButtonElement)

const title = find('#edit [name=title]', HTMLInputElement)
const body = find('#edit [name=body]', HTMLTextAreaElement)

let pages: AsyncIterator<PostPage>
let opened: PostView | undefined

login.addEventListener('submit', (event) => {
  event.preventDefault()
  const [email, password] = ['email', 'password'].map(
    (name) => find(`#login [name=${name}]`, HTMLInputElement).value,
  )
  const credentials = { email: email ?? '', password: password ?? '' }
  const isNew = event.submitter?.getAttribute('value') === 'register'
  void run(async () => {
    const { auth } = client
    const result = await (isNew ? auth.register(credentials) : auth.login(credentials)).safe()
    if (result.ok) return showPosts()
    alert.textContent =
      result.error.code === 'invalid_credentials'
        ? 'E-mail or password is wrong.'
        : result.error.message
  })
})

find('#logout', HTMLElement).addEventListener(
  'click',
  () => void run(() => client.session.logout()),
)
more.addEventListener('click', () => void run(showPage))

theirs.addEventListener('click', () => opened && show(opened))

edit.addEventListener('submit', (event) => {
  event.preventDefault()
  void run(save)
})

window.addEventListener('storage', () => void run(start))
void run(start)

async function start(): Promise<void> {
  if (!(await client.session.isLoggedIn())) showLogin()
  else if (main.hidden) await showPosts()
}

function showLogin(): void {
  main.hidden = true
  login.hidden = false
}

async function showPosts(): Promise<void> {
  login.hidden = true
  main.hidden = false
  edit.hidden = true
  list.replaceChildren()
  pages = client.posts.pages({ sort: 'title' }, { pageSize: 10 })[Symbol.asyncIterator]()
  await showPage()
}

async function showPage(): Promise<void> {
  const { done, value } = await pages.next()
  if (!done) list.append(...value.data.map(toItem))
  more.hidden = done === true || !('nextCursor' in value.meta)
}

function toItem(post: PostView): HTMLElement {
  const button = document.createElement('button')
  button.textContent = post.title ?? ''
  button.addEventListener(
    'click',
    () => void run(async () => show(await client.posts.get(post.id))),
  )
  const item = document.createElement('li')
  item.append(button)
  return item
}

function show(post: PostView): void {
  opened = post
  title.value = post.title ?? ''
  body.value = post.body ?? ''
  theirs.hidden = true
  edit.hidden = false
}

// The client sends the version of the post that is edited, so that no change of another device is overwritten unseen.
async function save(): Promise<void> {
  if (!opened) return
  const changes = { title: title.value, body: body.value }
  const result = await client.posts.patch(opened, changes).safe()
  if (result.ok) return showPosts()
  const { error } = result
  alert.textContent = error.message
  if (error.code !== 'precondition_failed' || !error.current) return
  const { current } = error
  alert.textContent = `It has been changed meanwhile to “${current.title}”. Save again to replace that.`
  opened = current
  theirs.hidden = false
}

async function run(action: () => Promise<void>): Promise<void> {
  alert.textContent = ''
  await action().catch((error: unknown) => {
    alert.textContent = String(error)
  })
}
