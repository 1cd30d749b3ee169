import compression from 'compression'
import express from 'express'
import { handleError, handleMissing } from './middleware/errors.js'
import { authRouter } from './routes/auth.js'
import { booksRouter } from './routes/books.js'

export const app = express()

app.disable('x-powered-by')
app.use(compression()) // before everything else
app.use(express.json({ limit: '10kb' }))
app.use('/auth', authRouter)
app.use('/books', booksRouter)
app.get('/status', (req, res) => res.json({ ok: true }))
app.use(handleMissing)
app.use(handleError)
