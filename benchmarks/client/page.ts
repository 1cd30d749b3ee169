/** What the code of a front end does for a page with posts: the same, with each client. */
export interface Page {
  logIn(email: string, password: string): Promise<void>
  /** Titles, page by page. */
  list(): AsyncIterable<readonly string[]>
  /** Opens a post to edit it. */
  open(id: string): Promise<string>
  /** Saves it, or returns the title that someone else has saved meanwhile. */
  save(title: string): Promise<string | undefined>
}
