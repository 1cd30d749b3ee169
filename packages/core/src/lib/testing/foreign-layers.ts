import { type MatrixApi } from './matrix-callers.ts'

interface Layer {
  readonly route?: { readonly path: unknown } | undefined
  readonly handle?: unknown
}

// The Express routes that were mounted outside the framework.
export function findForeignLayers(
  { app }: Pick<MatrixApi, 'app'>,
  beside: readonly string[],
): { readonly route: string; readonly problem: string }[] {
  const { stack }: { stack: readonly Layer[] } = app.router
  return stack.flatMap((layer) => {
    const route = layer.route ? String(layer.route.path) : isRouter(layer) ? 'router' : undefined
    if (route === undefined || beside.includes(route)) return []
    return [{ route, problem: 'is mounted outside the framework and has no access' }]
  })
}

function isRouter({ handle }: Layer): boolean {
  return typeof handle === 'function' && 'stack' in handle
}
