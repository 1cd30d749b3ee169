import { createApi, createRegistry, createRouter, defineRoute, multipart } from '@create-api/core'
import { expect, it } from 'vitest'
import { z } from 'zod'

const upload = defineRoute({
  method: 'post',
  path: '/',
  operationId: 'upload',
  access: 'public',
  body: multipart({
    fields: z.strictObject({ title: z.string().optional() }),
    files: {
      avatar: { types: ['image/png', 'image/jpeg'], maxSize: '2mb' },
      pages: { maxCount: 3, types: ['application/pdf'], required: false },
    },
  }),
  handler: () => {},
})

it('describes an upload: binary properties, their types and its errors', () => {
  const { openapi } = createApi({
    routes: createRegistry().use('/api/files', createRouter([upload])),
    auth: false,
    database: false,
  })
  const operation: unknown = openapi?.paths['/api/files']?.['post']
  expect(operation).toMatchObject({
    requestBody: { $ref: '#/components/requestBodies/UploadBody' },
  })
  expect(openapi?.components['requestBodies']).toMatchObject({
    UploadBody: {
      required: true,
      content: {
        'multipart/form-data': {
          schema: {
            type: 'object',
            properties: {
              title: { type: 'string' },
              avatar: { type: 'string', format: 'binary', description: 'At most 2097152 bytes.' },
              pages: {
                type: 'array',
                maxItems: 3,
                items: {
                  type: 'string',
                  format: 'binary',
                  contentMediaType: 'application/pdf',
                },
              },
            },
            required: ['avatar'],
            additionalProperties: false,
          },
          encoding: {
            avatar: { contentType: 'image/png, image/jpeg' },
            pages: { contentType: 'application/pdf' },
          },
        },
      },
    },
  })
  expect(operation).toMatchObject({
    responses: {
      400: {
        $ref: '#/components/responses/BadRequestOrInvalidEncodingOrInvalidQueryOrMalformedMultipart',
      },
    },
  })
})
