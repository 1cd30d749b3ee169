import { createAuth } from '@create-api/core/auth'
import { z } from 'zod'

declare module '@create-api/core' {
  interface User {
    username: string
    bio: string | null
    image: string | null
  }
}

export const auth = createAuth({
  schemes: ['Token'],
  accessLifetime: '7d',
  routes: false,
  mail: false,
  // The contract allows `password`, and a run of its collection registers more than ten users.
  password: { blocklist: false },
  limits: { perAddress: { register: { limit: 100 } } },
  userFields: {
    model: {
      username: { type: String, required: true, unique: true },
      bio: { type: String, default: null },
      image: { type: String, default: null },
    },
    input: { username: z.string() },
  },
})
