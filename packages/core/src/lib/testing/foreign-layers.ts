import { type MatrixApi } from './matrix-callers.ts'

interface Layer {
  readonly route?: { readonly path: unknown; readonly stack: readonly Layer[] } | undefined
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
    if (layer.route?.stack.every(isChecked)) return []
    return [{ route, problem: 'is mounted outside the framework and has no access' }]
  })
}

// Packages of the framework mark handlers that check access themselves.
const checked = Symbol.for('@create-api/core/checked')

function isChecked({ handle }: Layer): boolean {
  return typeof handle === 'function' && Object.hasOwn(handle, checked)
}

function isRouter({ handle }: Layer): boolean {
  return typeof handle === 'function' && 'stack' in handle
}
