import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Json } from '../../src/kernel/json.ts'
import { ModelFailure } from '../../src/kernel/failures.ts'
import type {
  Model,
  ModelEndpointAnswer,
  ModelEndpointOptions,
  ModelFactory,
  ModelRequest,
} from '../../src/ports/model.ts'

/** The model to test. */
export interface ModelSubject {
  readonly factory: ModelFactory
  /** The text that its endpoint sends for this answer. */
  readonly bodyOf: (
    json: Json,
    tokens: { readonly input: number; readonly output: number },
  ) => string
  /** A text in its options that only the endpoint may see. */
  readonly secret: string
}

interface Asked {
  readonly body: Json
  readonly signal: AbortSignal
}

const PRICE = {
  type: 'object',
  properties: { price: { type: ['number', 'null'], description: 'The price' } },
  required: ['price'],
  additionalProperties: false,
}
const TOKENS = { input: 120, output: 9 }

/**
 * The tests that every adapter of the Model port over HTTP must pass. `make` is called once for
 * each test.
 *
 * @example
 *   declare const makeModel: () => Promise<ModelSubject>
 *   modelContract('My model', makeModel)
 */
export function modelContract(name: string, make: () => Promise<ModelSubject>): void {
  describe(`${name} keeps the Model contract`, () => {
    const open = async (answer: (subject: ModelSubject) => ModelEndpointAnswer | Error) => {
      const subject = await make()
      const requests: Asked[] = []
      const endpoints: { url: URL; options: ModelEndpointOptions | undefined }[] = []
      const model: Model = subject.factory.create({
        endpoint(url, options) {
          endpoints.push({ url, options })
          return async (body, signal) => {
            requests.push({ body, signal })
            const content = answer(subject)
            if (content instanceof Error) throw content
            return content
          }
        },
      })
      return { subject, model, asked: requests, endpoints }
    }
    const requestOf = (more: Partial<ModelRequest> = {}): ModelRequest => ({
      instructions: 'Find the price',
      schema: PRICE,
      text: 'It costs 12.50',
      signal: new AbortController().signal,
      ...more,
    })
    const good = ({ bodyOf }: ModelSubject): ModelEndpointAnswer => ({
      status: 200,
      text: bodyOf({ price: 12.5 }, TOKENS),
    })

    it('gives the answer of the model, and the number of tokens', async () => {
      const { model } = await open(good)
      expect(await model.ask(requestOf())).toEqual({
        json: { price: 12.5 },
        inputTokens: 120,
        outputTokens: 9,
      })
    })

    it('passes each question on unchanged, in one request, with the signal', async () => {
      const { model, asked: requests } = await open(good)
      for (const text of ['It costs 12.50', '"quoted" \\ and\nlines', '万年筆 \u{1f58b} ¥500']) {
        const request = requestOf({ text, instructions: `About ${text.length} characters` })
        await model.ask(request)
        const sent = requests.at(-1)
        expect(texts(sent?.body ?? null)).toEqual(
          expect.arrayContaining([
            text,
            expect.stringContaining(request.instructions),
            'The price',
          ]),
        )
        expect(sent?.signal).toBe(request.signal)
      }
      expect(requests).toHaveLength(3)
    })

    it('separates the text of a page from the instructions', async () => {
      const { model, asked: requests } = await open(good)
      await model.ask(requestOf({ text: 'PAGE', instructions: 'INSTRUCTIONS' }))
      expect(
        texts(requests[0]?.body ?? null).filter(
          (text) => text.includes('PAGE') && text.includes('INSTRUCTIONS'),
        ),
      ).toEqual([])
    })

    it('has one endpoint, which is named when it is made; its secret is in no address and no question', async () => {
      const { subject, endpoints, asked: requests, model } = await open(good)
      await model.ask(requestOf())
      expect(endpoints).toHaveLength(1)
      expect(JSON.stringify(endpoints[0]?.options ?? null)).toContain(subject.secret)
      expect(`${endpoints[0]?.url.href ?? ''} ${JSON.stringify(requests[0]?.body)}`).not.toContain(
        subject.secret,
      )
    })

    it('passes a failure on unchanged', async () => {
      const failure = new ModelFailure('limited', 'Too many')
      const { model } = await open(() => failure)
      await expect(model.ask(requestOf())).rejects.toBe(failure)
    })

    it('turns any response into an answer or a failure, and a failure repeats no text of the response', async () => {
      let answer: ModelEndpointAnswer = { status: 200, text: '' }
      const { model, subject } = await open(() => answer)
      const body = subject.bodyOf({ price: 12.5 }, TOKENS)
      const damaged = fc.nat(body.length).map((position) => body.slice(0, position))
      const text = fc.oneof(
        fc.string(),
        fc.json(),
        damaged,
        fc.jsonValue().map((json) => subject.bodyOf(JSON.parse(JSON.stringify(json)), TOKENS)),
        fc.constant(`${subject.secret} is wrong`),
      )
      await fc.assert(
        fc.asyncProperty(
          text,
          fc.constantFrom(200, 200, 200, 204, 307, 400, 401, 404, 413, 422, 501),
          async (sent, status) => {
            answer = { status, text: sent }
            const outcome = await model.ask(requestOf()).catch((error: unknown) => error)
            if (outcome instanceof ModelFailure)
              expect(outcome.message).not.toContain(subject.secret)
            else
              expect(outcome).toEqual({
                json: expect.toSatisfy((json) => json !== undefined),
                inputTokens: expect.toSatisfy(isCount),
                outputTokens: expect.toSatisfy(isCount),
              })
          },
        ),
      )
    })
  })
}

/** All texts in a JSON value. */
function texts(value: Json): string[] {
  if (typeof value === 'string') return [value]
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(texts) : []
}

function isCount(value: unknown): boolean {
  return value === null || (Number.isSafeInteger(value) && Number(value) >= 0)
}
