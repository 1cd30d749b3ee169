/** The data folder cannot be opened without losing something; the message names file and cure. */
export class StoreDamage extends Error {
  override name = 'StoreDamage'
}
