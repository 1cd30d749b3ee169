import { api } from './app.js'

await api.start()
