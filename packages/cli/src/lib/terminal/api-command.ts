// How users run `api` in a project, whatever the shell and package manager.
export const apiCommand = 'npx --no-install api'
