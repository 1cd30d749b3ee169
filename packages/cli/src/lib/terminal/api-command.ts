/** How a user calls `api` in a project, in any shell and whatever the package manager. */
export const apiCommand = 'npx --no-install api'
