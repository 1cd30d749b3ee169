// What one request of a list can ask for; more is a 400, and docs/resources.md lists them.
export const listLimits = {
  // Documents of a page.
  limit: 100,
  page: 1_000_000,
  // Documents before the first one.
  offset: 100_000_000,
  // Characters: the URL should fit into the 8 KB that proxies allow for the first line of a request.
  cursor: 4000,
  sortFields: 10,
  // Characters of the value of a filter.
  filter: 2000,
  // Values of `[in]`.
  values: 100,
  // Characters of `q`, `[contains]` and `[startsWith]`.
  search: 100,
  // References of `include`.
  includes: 5,
  // Documents that the references of a page add.
  included: 1000,
} as const
