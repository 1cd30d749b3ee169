import { copyFile } from 'node:fs/promises'
import path from 'node:path'
import { createRouter, defineRoute, multipart, type Router, success } from '@create-api/core'
import { z } from 'zod'

const picture = z.object({ caption: z.string(), file: z.string(), size: z.int() })

export function createPictures(folder: string): Router {
  const upload = defineRoute({
    method: 'post',
    path: '/',
    access: 'public',
    body: multipart({
      fields: z.strictObject({ caption: z.string().min(1).max(100) }),
      files: {
        picture: {
          maxSize: '5mb',
          types: ['image/png', 'image/jpeg'],
          checkContent: true,
        },
      },
    }),
    response: picture,
    status: 201,
    handler: async (req, res) => {
      const { caption, picture: uploaded } = req.valid.body
      // A random name; `uploaded.filename` is what the client calls the file, for display only.
      const file = path.basename(uploaded.path)
      await copyFile(uploaded.path, path.join(folder, file))
      success(res.status(201), { caption, file, size: uploaded.size })
    },
  })
  return createRouter([upload])
}
