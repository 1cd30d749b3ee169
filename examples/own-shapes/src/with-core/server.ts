import { api } from './app.ts'

await api.start()
