import type { Realm } from '@windlass/contracts/realm.ts'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { isDatabaseAway } from '../observe/outage.ts'
import { TooManyWaiting } from '../postgres/turns.ts'
import { Problem, problemDocument, unavailable } from './problem.ts'
import { challenges } from './realms.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    realm?: Realm
  }
}

export type RenderProblem = (
  problem: Problem,
  request: FastifyRequest,
) => { contentType: string; body: string }

const asProblemDocument: RenderProblem = (problem, request) => ({
  contentType: 'application/problem+json',
  body: JSON.stringify(problemDocument(problem, request.id)),
})

/** The one place where errors become answers. An unexpected one is logged and answered as `internal-error`. */
export function rendererOf(renderProblem: RenderProblem = asProblemDocument) {
  return (error: unknown, request: FastifyRequest, reply: FastifyReply): void => {
    const problem = toProblem(error)
    if (problem.status >= 500) request.log.error({ err: problem.extra.cause ?? error }, problem.message)
    const { contentType, body } = renderProblem(problem, request)
    if (problem.status === 401)
      reply.header('www-authenticate', challenges[request.routeOptions.config.realm ?? 'public'])
    reply
      .header('x-request-id', request.id)
      .headers(problem.extra.headers ?? {})
      .code(problem.status)
      .type(contentType)
      .serializer((text: string) => text)
      .send(body)
  }
}

/** The database works: there is more to do than it does at once. */
const tooManyRequests = (cause: TooManyWaiting): Problem =>
  new Problem(
    'dependency-unavailable',
    'This server has more requests than it can answer at once. Try again shortly.',
    {
      ...{ headers: { 'retry-after': '5' }, cause },
    },
  )

function toProblem(error: unknown): Problem {
  if (error instanceof Problem) return error
  const { statusCode } = error as { statusCode?: unknown }
  if (statusCode === 413)
    return new Problem('body-too-large', 'The request body is larger than this endpoint accepts.')
  if (statusCode === 415) return new Problem('unsupported-media-type', 'Send the body as application/json.')
  // Before the database: a body that breaks off is ECONNRESET too.
  if (statusCode === 400 || statusCode === 414) {
    return new Problem('malformed-request', 'The request cannot be read.', { cause: error })
  }
  if (error instanceof TooManyWaiting) return tooManyRequests(error)
  if (isDatabaseAway(error)) return unavailable('The database', error)
  return new Problem(
    'internal-error',
    'Something went wrong on our side. Contact support with the request ID.',
    {
      cause: error,
    },
  )
}
