import { ProblemError } from '@windlass/client/client.ts'
import type { Endpoint, EndpointShape, BodyOf, ParamsOf } from '@windlass/contracts/endpoint.ts'
import type { Deps } from '../deps.ts'
import { StageFailure } from '../stage-failure.ts'

const TIMEOUT_MS = 20_000

/**
 * Calls the platform. Throws {@link StageFailure}: retryable where the platform does not answer or is not ready (409),
 * final where it refuses.
 */
export async function callPlatform<S extends EndpointShape>(
  deps: Deps,
  endpoint: Endpoint<S>,
  input: { params: ParamsOf<S>; body: BodyOf<S> },
): Promise<void> {
  const signal = AbortSignal.timeout(TIMEOUT_MS)
  try {
    await deps.platform.call(endpoint as Endpoint, { ...input, signal })
  } catch (error) {
    if (error instanceof ProblemError && error.status < 500 && error.status !== 429) {
      const detail = `The platform refused the anchor: ${error.problem.detail}`
      // It may wait for a report of ours that is on its way.
      const retryable = error.status === 409
      throw new StageFailure('platform-refused', detail, { retryable, cause: error })
    }
    const detail = error instanceof ProblemError ? error.problem.detail : 'The platform does not answer.'
    throw new StageFailure('platform-unavailable', detail, { cause: error })
  }
}
