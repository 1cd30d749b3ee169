import { findOperation } from '../inspect/find-operation.ts'
import { type RoutePlace } from '../inspect/find-route-lines.ts'
import { type AppFacts, type ServedRoute } from '../inspect/inspect-app.ts'
import { describeOperation, type OperationFacts, type Parameter } from './describe-operation.ts'
import { type Explanation, type Subject } from './explanation.ts'

// The routes of an application, by method and path, by path, and by operation id.
export function createRouteSubject(
  { openapi, routes }: Pick<AppFacts, 'openapi' | 'routes'>,
  places: ReadonlyMap<string, RoutePlace>,
): Subject {
  const all = routes.map((route): RouteFacts => {
    const found = openapi === undefined ? undefined : findOperation(openapi, route)
    const { file, line } = places.get(`${route.method} ${route.path}`) ?? {}
    const { access, handler, method, path, sunset } = route
    const described = found && describeOperation(found.operation, openapi)
    return { kind: 'route', method, path, access, handler, sunset, file, line, ...described }
  })
  return {
    names: all.flatMap(({ method, operationId, path }) => [
      `${method} ${path}`,
      ...(operationId === undefined ? [] : [operationId]),
    ]),
    find: (name) => all.filter((route) => isNamed(name, route)).map(toExplanation),
  }
}

type RouteFacts = { readonly kind: 'route' } & Pick<
  ServedRoute,
  'access' | 'handler' | 'method' | 'path' | 'sunset'
> &
  Partial<Pick<RoutePlace, 'file' | 'line'> & OperationFacts>

function isNamed(name: string, { method, operationId, path }: RouteFacts): boolean {
  const word = name.replaceAll(/\{(\w+)\}/g, ':$1').toLowerCase()
  const names = [`${method} ${path}`, path, operationId ?? '']
  return names.some((one) => one.toLowerCase() === word)
}

function toExplanation(route: RouteFacts): Explanation {
  const { body, errors = [], file, handler, line, operationId, parameters = [] } = route
  const { access, method, path, responses = [], summary, sunset } = route
  return {
    json: { ...route, page: 'resources.md#routes' },
    title: `${method} ${path}${operationId ? `, operation ${operationId}` : ''}`,
    rows: [
      ['summary', summary],
      ['access', access],
      ['sunset', sunset],
      ['handler', file === undefined ? handler : `${handler}, routed in ${file}:${line}`],
      ['parameters', parameters.map(formatParameter).join(', ')],
      ['body', body && `${body.mediaTypes.join(' or ')}: ${body.type}`],
      ['responses', responses.map(({ status, type }) => `${status} ${type}`.trim()).join(', ')],
      ['errors', errors.map(({ codes, status }) => `${status} ${codes.join(' or ')}`).join(', ')],
    ],
  }
}

function formatParameter({ in: place, name, required, type }: Parameter): string {
  return `${name}${required ? '' : '?'}: ${type} (${place})`
}
