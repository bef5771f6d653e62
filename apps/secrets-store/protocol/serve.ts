import { parseJson } from '@windlass/service/http/bodies.ts'
import { failedForNow } from '@windlass/service/observe/outage.ts'
import { compileCheck, refuseUnstorable } from '@windlass/service/http/validation.ts'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Static, TSchema } from 'typebox'
import type { Deps } from '../deps.ts'
import { AwsError } from './aws-error.ts'
import { verifySignature } from './signature.ts'

/** One operation by its AWS name. */
export interface Operation {
  run(input: unknown): Promise<object>
}

/** An operation whose input is checked against a schema first. */
export function operation<S extends TSchema>(
  schema: S,
  run: (input: Static<S>) => Promise<object>,
): Operation {
  const check = compileCheck(schema, 'body')
  return {
    run: async input => {
      try {
        check(input)
        // Only a secret's own text may hold a NUL: it is stored encrypted.
        refuseUnstorable({ ...(input as object), SecretString: '' })
      } catch (error) {
        throw new AwsError('InvalidParameterException', (error as Error).message)
      }
      return run(input as Static<S>)
    },
  }
}

// 64 KiB of secret, each character of which JSON may write in six.
const BODY_LIMIT = 512 * 1024
const CONTENT_TYPE = 'application/x-amz-json-1.1'

/** `POST /` with `x-amz-target: secretsmanager.<Operation>`, signed. */
export function serveOperations(
  app: FastifyInstance,
  deps: Pick<Deps, 'credentials' | 'clock'>,
  operations: Record<string, Operation>,
): void {
  app.post('/', { config: { body: 'raw' }, bodyLimit: BODY_LIMIT }, async (request, reply) => {
    reply.header('x-amzn-requestid', request.id).type(CONTENT_TYPE).serializer(asText)
    try {
      await verifySignature(request, deps.credentials, deps.clock.now())
      const name = targetOf(request)
      const found = Object.hasOwn(operations, name) ? operations[name] : undefined
      if (!found) throw new AwsError('UnknownOperationException', `There is no operation ${name} here.`)
      return await found.run(parseInput(request.rawBytes))
    } catch (error) {
      return sendError(error, request, reply)
    }
  })
}

const asText = (value: unknown) => JSON.stringify(value)

function targetOf(request: FastifyRequest): string {
  const target = request.headers['x-amz-target']
  return typeof target === 'string' ? target.replace(/^secretsmanager\./, '') : ''
}

function parseInput(body: Buffer = Buffer.alloc(0)): unknown {
  try {
    return body.length === 0 ? {} : parseJson(body)
  } catch {
    throw new AwsError('SerializationException', 'The body is not valid JSON.')
  }
}

function sendError(error: unknown, request: FastifyRequest, reply: FastifyReply): object {
  if (error instanceof AwsError) {
    reply.code(error.status)
    return { __type: error.type, message: error.message }
  }
  request.log.error({ err: error }, 'operation failed')
  const forNow = failedForNow(error)
  if (forNow) reply.header('retry-after', '5')
  reply.code(forNow ? 503 : 500)
  return { __type: 'InternalServiceError', message: 'An error occurred on the server side.' }
}
