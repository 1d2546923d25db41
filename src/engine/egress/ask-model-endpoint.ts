import type { Json } from '../../kernel/json.ts'
import { ModelFailure } from '../../kernel/failures.ts'
import type { Clock } from '../../ports/clock.ts'
import type { ModelEndpointAnswer } from '../../ports/model.ts'
import { parseRetryAfter } from './retry-after.ts'
import { EgressError } from './types.ts'
import type { Egress, EgressRequest, EgressResponse } from './types.ts'

/** Dependencies of {@link askModelEndpoint}. */
export interface ModelEndpoint {
  readonly egress: Egress
  readonly clock: Clock
  /** The whole request except its body. */
  readonly request: Omit<EgressRequest, 'body' | 'signal'>
}

/** Attempts for one question, including the first. */
const TRIES = 3
const FIRST_RETRY_MS = 500
/** If an endpoint asks for a longer pause, it is not retried. */
const LONGEST_WAIT_MS = 30_000

const encoder = new TextEncoder()
const decoder = new TextDecoder()

/**
 * Sends a question to a model endpoint. Retries if the endpoint is only busy or temporarily
 * failing.
 *
 * @throws {ModelFailure} , or the signal's reason once that aborts
 */
export async function askModelEndpoint(
  { egress, clock, request }: ModelEndpoint,
  body: Json,
  signal: AbortSignal,
): Promise<ModelEndpointAnswer> {
  const egressRequest: EgressRequest = {
    ...request,
    body: encoder.encode(JSON.stringify(body)),
    signal,
  }
  for (let attempt = 1; ; attempt++) {
    const answer = await once(egress, egressRequest, signal)
    const response = answer instanceof ModelFailure ? null : answer
    const failure = answer instanceof ModelFailure ? answer : failureOf(answer)
    if (response !== null && failure === null)
      return { status: response.status, text: decoder.decode(response.body) }
    const wait =
      parseRetryAfter(response?.headers['retry-after'], clock.now()) ??
      FIRST_RETRY_MS * 2 ** (attempt - 1)
    if (attempt === TRIES || wait > LONGEST_WAIT_MS) throw failure
    await clock.sleep(wait, signal)
  }
}

async function once(
  egress: Egress,
  request: EgressRequest,
  signal: AbortSignal,
): Promise<EgressResponse | ModelFailure> {
  try {
    return await egress(request)
  } catch (error) {
    signal.throwIfAborted()
    if (!(error instanceof EgressError)) throw error
    switch (error.reason) {
      case 'timeout':
        throw new ModelFailure('timeout', 'The model did not answer in time', { cause: error })
      case 'too_large':
        throw new ModelFailure('unusable', 'The model answered with more than 2 MiB', {
          cause: error,
        })
      case 'refused':
        throw new ModelFailure(
          'unreachable',
          'The endpoint of the model is not on the public internet: the operator must name its ' +
            'host as private',
          { cause: error },
        )
      default:
        return new ModelFailure('unreachable', 'The endpoint of the model could not be reached', {
          cause: error,
        })
    }
  }
}

/**
 * Returns the failure that makes a status worth another attempt, or `null` if the status is an
 * answer. The failure names no host: the caller must not learn about the operator's network.
 */
function failureOf({ status }: EgressResponse): ModelFailure | null {
  if (status === 429) return new ModelFailure('limited', 'The model received too many questions')
  return status === 408 || (status >= 500 && status !== 501)
    ? new ModelFailure('unreachable', `The endpoint of the model fails (status ${status})`)
    : null
}
