import { type Auth } from '@create-api/core/auth'
import express, { Router } from 'express'
import { CustomerModel } from './customers.ts'
import { refuse } from './errors.ts'
import { requireCustomer } from './session.ts'

/**
 * The pages of the shop as they always were. Only the comparison of passwords is new, because the
 * hashes change as customers log in at the API.
 * @param auth - verifies bcrypt and argon2id, and issues tokens to customers with a session
 * @returns the router
 */
export function createPages(auth: Auth): Router {
  const router = Router()
  router.use(express.urlencoded({ extended: false }))

  router.get('/login', (_req, res) => {
    res.send(
      '<form method="post"><input name="mail"><input name="password" type="password"></form>',
    )
  })
  router.post('/login', async (req, res) => {
    const { mail, password } = Object(req.body)
    const customer = await CustomerModel.findOne({
      mail: String(mail).toLowerCase(),
      blocked: false,
    })
    const isRight = await auth.verifyPassword(String(password), customer?.password)
    if (!customer || !isRight) throw refuse(401, 'wrong mail or password')
    await new Promise((resolve, reject) => {
      // A new session id: the old one may be known from before the login.
      req.session.regenerate((error) => (error ? reject(error) : resolve(undefined)))
    })
    req.session.customer = customer.id
    res.redirect('/account')
  })
  router.get('/account', requireCustomer, async (req, res) => {
    const customer = await CustomerModel.findById(req.session.customer).orFail()
    res.send(`<h1>Hello</h1><p>${escapeHtml(customer.name)}</p>`)
  })
  // The script of a page calls the new routes with a token.
  router.post('/account/token', requireCustomer, async (req, res) => {
    const user = await auth.users.findById(String(req.session.customer))
    if (!user) throw refuse(401, 'log in first')
    const { accessToken, expiresIn } = await auth.issueTokens(user, req)
    res.json({ ok: true, token: accessToken, expiresIn })
  })
  return router
}

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)
}
