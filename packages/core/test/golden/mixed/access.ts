import { defineRule } from '../../../src/index.ts'

export const editors = defineRule('editors', (user) => ({ title: user.id }))
