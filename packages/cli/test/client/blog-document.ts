import { api } from '../../../../examples/blog/src/app.js'

/** The document of the blog, as it is sent. */
export function readBlogDocument(): unknown {
  return JSON.parse(JSON.stringify(api.openapi))
}
