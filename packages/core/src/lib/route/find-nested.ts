import { ApiError } from '../errors/api-error.ts'

// A document below another one. It is found when it is awaited, or by a route in two steps.
export class NestedQuery<Document> implements PromiseLike<Document | null> {
  readonly #begin: () => Promise<{ readonly query: PromiseLike<Document | null> }>

  constructor(begin: () => Promise<{ readonly query: PromiseLike<Document | null> }>) {
    this.#begin = begin
  }

  // Finds the parent. The query is in an object, because a promise of a query would run it.
  async begin(): Promise<{ readonly query: PromiseLike<Document | null> }> {
    return this.#begin()
  }

  // oxlint-disable-next-line unicorn/no-thenable -- like the queries of Mongoose
  then: PromiseLike<Document | null>['then'] = async (onFulfilled, onRejected) =>
    this.#begin()
      .then(({ query }) => query)
      .then(onFulfilled, onRejected)
}

/**
 * Finds a document by its parent in the path, for `load` of a route. Without the parent the response is 404 for every
 * caller; the access of the document decides after that.
 * @param parent - the query of the parent
 * @param find - returns the query of the document below a parent
 * @returns the query of the document
 * @example
 * ```ts
 * const load = ({ slug, id }: { slug: string; id: string }) =>
 *   findNested(ArticleModel.findOne({ slug }).lean(), (article) =>
 *     CommentModel.findOne({ _id: id, article: article._id }).lean(),
 *   )
 * ```
 */
export function findNested<Parent extends object, Document extends object>(
  parent: PromiseLike<Parent | null>,
  find: (parent: Parent) => PromiseLike<Document | null>,
): PromiseLike<Document | null> {
  return new NestedQuery(async () => {
    const found = await parent
    if (!found) throw new ApiError('not_found')
    return { query: find(found) }
  })
}
