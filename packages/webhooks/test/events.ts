import { defineEvent } from '@create-api/jobs/events'
import { z } from 'zod'

export const postPublished = defineEvent(
  'post.published',
  z.object({
    postId: z.string(),
    owner: z.string().optional(),
    organization: z.string().optional(),
    secret: z.string().default('internal'),
  }),
)
