import type { FastifyInstance, FastifyRequest } from 'fastify'
import { Problem } from './problem.ts'

/**
 * The answer to what no route serves: `method-not-allowed` with `Allow` where the path is served for other methods
 * (RFC 9110 §15.5.6), otherwise `not-found`. Call it before any route is declared.
 */
export function unservedProblems(app: FastifyInstance): (request: FastifyRequest) => Problem {
  const routes: { methods: string[]; pattern: RegExp }[] = []
  app.addHook('onRoute', ({ method, url }) => {
    if (url.endsWith('*')) return
    routes.push({ methods: [method].flat(), pattern: patternOf(url) })
  })
  return ({ method, url }) => {
    const path = url.split('?')[0] ?? '/'
    const methods = new Set(
      routes.filter(({ pattern }) => pattern.test(path)).flatMap(route => route.methods),
    )
    // A route for this method may itself have found nothing.
    if (methods.size === 0 || methods.has(method))
      return new Problem('not-found', `There is no ${method} ${path} here.`)
    const allow = [...methods].sort().join(', ')
    return new Problem('method-not-allowed', `${path} takes ${allow}.`, { headers: { allow } })
  }
}

const patternOf = (url: string): RegExp => {
  const literal = url.replace(/\/$/, '').replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
  return new RegExp(`^${literal.replace(/:\w+/g, '[^/]+')}/?$`)
}
