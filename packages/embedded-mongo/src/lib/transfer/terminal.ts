/** Where a run of the command line tool writes to. */
export interface Terminal {
  /** Results. */
  out(text: string): void
  /** Messages. */
  error(text: string): void
}
