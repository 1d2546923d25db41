import { useSignal } from '@preact/signals'
import { SeineError } from '../../../client.ts'
import type { Preview } from '../../../client.ts'
import { useAction } from './ask.ts'
import { figure, Wrong } from './show.tsx'
import { client } from '../session.ts'
import { words } from '../words.ts'

type Field = Preview['fields'][number]
type Source = Field['sources'][number]

/** The matches of a run's recipe on one of its kept pages, requested by a button. */
export function Explanation({ run, url }: { readonly run: string; readonly url: string }) {
  const answer = useSignal<Preview | null>(null)
  const isNotKept = useSignal(false)
  const action = useAction()
  return (
    <section aria-labelledby="explanation">
      <h3 id="explanation">{words.explain.title}</h3>
      {answer.value === null && !isNotKept.value && (
        <button
          type="button"
          class="quiet"
          disabled={action.isBusy}
          onClick={() =>
            action.run(async () => {
              try {
                answer.value = await client.value.executions.explain(run, { url })
              } catch (error) {
                // True if its pages, or this page, were not kept.
                if (!(error instanceof SeineError) || ![404, 409].includes(error.status))
                  throw error
                isNotKept.value = true
              }
            })
          }
        >
          {words.explain.button}
        </button>
      )}
      {isNotKept.value && <p role="status">{words.explain.notKept}</p>}
      <Wrong problem={action.problem} />
      {answer.value && (
        <>
          {answer.value.pages[0]?.reason && <p>{answer.value.pages[0].reason.message}</p>}
          {answer.value.fields.map((field) => (
            <ExplainedField key={field.field} field={field} />
          ))}
        </>
      )}
    </section>
  )
}

/** One field, and what each of its sources found. */
function ExplainedField({ field }: { readonly field: Field }) {
  return (
    <section class="explained" aria-label={field.field}>
      <h4>
        {field.field} <small>{words.builder.filled(field.filled, field.rate)}</small>
      </h4>
      <ExplainedSources sources={field.sources} />
    </section>
  )
}

/** Sources of a field: matches before and after conversion, and the reason for missing values. */
export function ExplainedSources({ sources }: { readonly sources: readonly Source[] }) {
  return (
    <>
      {sources.map((source) => (
        <div key={source.path} class="explained-source">
          <p>
            <code>{source.source}</code>{' '}
            <small>
              {words.explain.matches} {figure(source.matches)} · {words.explain.values}{' '}
              {figure(source.values)} · {words.explain.used} {figure(source.used)}
            </small>
          </p>
          {source.reason !== null && (
            <p class="bad">
              {words.explain.why}: {source.reason}
            </p>
          )}
          {source.unclear && (
            <p class="bad">{words.explain.unclear(source.unclear.text, source.unclear.as)}</p>
          )}
          {source.examples.length > 0 && (
            <dl class="conversions">
              {source.examples.map(({ before, after }, index) => (
                <div key={index}>
                  <dt title={words.explain.before}>
                    <span class="hidden">{words.explain.before}: </span>
                    {textOf(before)}
                  </dt>
                  <dd title={words.explain.after}>
                    <span class="hidden">{words.explain.after}: </span>
                    {after === null ? <em>{words.explain.nothing}</em> : textOf(after)}
                  </dd>
                </div>
              ))}
            </dl>
          )}
        </div>
      ))}
    </>
  )
}

/** A text is in quotes, because values often differ only in spaces. */
function textOf(value: unknown): string {
  const text = typeof value === 'string' ? `“${value}”` : JSON.stringify(value)
  return text.length > 200 ? `${text.slice(0, 200)}…` : text
}
