import { fileURLToPath } from 'node:url'

export const templatesRoot = fileURLToPath(new URL('.', import.meta.url))
