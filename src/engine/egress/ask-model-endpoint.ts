import type { Json } from '../../kernel/json.ts'
import { ModelFailure } from '../../kernel/failures.ts'
import type { Clock } from '../../ports/clock.ts'
import type { ModelEndpointAnswer } from '../../ports/model.ts'
import { parseRetryAfter } from './retry-after.ts'
import { EgressError } from './types.ts'
import type { Egress, EgressRequest, EgressResponse } from './types.ts'

/** What {@link askModelEndpoint} works with. */
export interface ModelEndpoint {
  readonly egress: Egress
  readonly clock: Clock
  /** Everything of the request but its body. */
  readonly request: Omit<EgressRequest, 'body' | 'signal'>
}

/** Tries of one question, the first one included. */
const TRIES = 3
const FIRST_RETRY_MS = 500
/** An endpoint that wants a longer pause is not waited for. */
const LONGEST_WAIT_MS = 30_000

const encoder = new TextEncoder()
const decoder = new TextDecoder()

/**
 * Asks an endpoint, again where it is only busy or out of order.
 *
 * @throws {ModelFailure} , or the signal's reason once that aborts
 */
export async function askModelEndpoint(
  { egress, clock, request }: ModelEndpoint,
  body: Json,
  signal: AbortSignal,
): Promise<ModelEndpointAnswer> {
  const asked: EgressRequest = { ...request, body: encoder.encode(JSON.stringify(body)), signal }
  for (let attempt = 1; ; attempt++) {
    const answer = await once(egress, asked, signal)
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
          'The endpoint of the model is not on the public internet: its operator has to name its host as private',
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
 * Why a status is worth another try; `null` for one that is an answer. Names no host: the
 * operator's network is not the caller's business.
 */
function failureOf({ status }: EgressResponse): ModelFailure | null {
  if (status === 429) return new ModelFailure('limited', 'The model has had too many questions')
  return status === 408 || (status >= 500 && status !== 501)
    ? new ModelFailure(
        'unreachable',
        `The endpoint of the model is out of order (status ${status})`,
      )
    : null
}
