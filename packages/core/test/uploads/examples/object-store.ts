import { randomUUID } from 'node:crypto'
import { PassThrough } from 'node:stream'
import {
  createRouter,
  defineRoute,
  type FileInfo,
  multipart,
  type Router,
  success,
  type UploadTarget,
} from '@create-api/core'
import { z } from 'zod'

/** For S3: `new Upload({ client, params: { Bucket, Key, Body } }).done()` of @aws-sdk/lib-storage. */
export interface ObjectStore {
  put(key: string, content: PassThrough, type: string): Promise<unknown>
  remove(key: string): Promise<unknown>
}

export function createDocuments(store: ObjectStore): Router {
  function toObject({ type }: FileInfo): UploadTarget<string> {
    const key = `documents/${randomUUID()}`
    const stream = new PassThrough()
    const result = store.put(key, stream, type).then(() => key)
    return { stream, result, discard: () => store.remove(key) }
  }

  const upload = defineRoute({
    method: 'post',
    path: '/',
    access: 'public',
    body: multipart({
      files: {
        pages: { maxCount: 10, maxSize: '20mb', types: ['application/pdf'], sink: toObject },
      },
    }),
    response: z.array(z.object({ key: z.string(), size: z.int() })),
    handler: (req, res) =>
      success(
        res,
        req.valid.body.pages.map(({ result, size }) => ({ key: result, size })),
      ),
  })
  return createRouter([upload])
}
