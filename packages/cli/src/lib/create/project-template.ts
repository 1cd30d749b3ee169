/** What a project may begin with: all of it, or what it takes to write, run and test a service. */
export const projectTemplates = ['default', 'minimal'] as const

/** One of {@link projectTemplates}. */
export type ProjectTemplate = (typeof projectTemplates)[number]
