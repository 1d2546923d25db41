import { useSignal } from '@preact/signals'
import type { Preview } from '../../../client.ts'
import { useAction, useAnswer } from '../parts/ask.ts'
import { CopyAs } from '../parts/copies.tsx'
import type { CopiedCall } from '../parts/copy-as.ts'
import { Rows } from '../parts/rows.tsx'
import { SchemaFields, typedOf, valuesOf } from '../parts/schema-form.tsx'
import type { FormEntries } from '../parts/schema-form.tsx'
import { figure, Unread, Wrong } from '../parts/show.tsx'
import { go, screenAddress } from '../screen-address.ts'
import { can, client } from '../session.ts'
import { useTyped } from '../typed.ts'
import { words } from '../words.ts'

/** One template: a form for its parameters, and its results. */
export function TemplateScreen() {
  const id = screenAddress.value.query.get('id') ?? ''
  const template = useAnswer(() => client.value.templates.get(id), [id])
  const typed = useTyped<FormEntries>('params', {})
  const preview = useSignal<Preview | null>(null)
  const action = useAction()
  const now = template.value
  if (now === null) return <Unread title={words.nav.templates} problem={template.problem} />
  // The service checks the values, and names the wrong field.
  const params = () => JSON.parse(JSON.stringify(valuesOf(now.parameters, typed.value)))
  const shown = preview.value
  return (
    <>
      <h1>{now.name}</h1>
      <p>{now.description}</p>
      <p>
        {words.templates.price(figure(now.price.typicalCredits), figure(now.price.typicalPages))}
      </p>
      <form
        class="stack wide"
        onSubmit={(event) => {
          event.preventDefault()
          action.run(async (api) => {
            preview.value = await api.templates.preview(id, { params: params() })
          })
        }}
      >
        <SchemaFields
          schema={now.parameters}
          typed={typed.value}
          onTyped={(next) => (typed.value = next)}
        />
        <div class="choices">
          {can('templates:run') && (
            <>
              <button type="submit" disabled={action.isBusy}>
                {words.templates.preview}
              </button>
              <button
                type="button"
                class="quiet"
                disabled={action.isBusy}
                onClick={() =>
                  action.run(async (api) => {
                    const run = await api.templates.run(id, { params: params() })
                    go('run', { id: run.id })
                  })
                }
              >
                {words.templates.run}
              </button>
            </>
          )}
          {can('tasks:write') && (
            <button
              type="button"
              class="quiet"
              disabled={action.isBusy}
              onClick={() =>
                action.run(async (api) => {
                  const task = await api.templates.save(id, { params: params() })
                  go('task', { id: task.id })
                })
              }
            >
              {words.templates.save}
            </button>
          )}
          <button
            type="button"
            class="quiet"
            onClick={() => (typed.value = typedOf(now.parameters, now.example))}
          >
            {words.templates.example}
          </button>
        </div>
      </form>
      <div role="status">{action.isBusy && words.start.working}</div>
      <Wrong problem={action.problem} />
      {shown?.pages[0]?.reason && <p role="alert">{shown.pages[0].reason.message}</p>}
      {shown && shown.rows.length > 0 && (
        <Rows rows={shown.rows} caption={words.start.rows(shown.totals.rows)} />
      )}
      {!shown && now.sample.length > 0 && (
        <Rows rows={now.sample} caption={words.templates.sample} />
      )}
      <CopyAs call={runCall(id, params())} />
    </>
  )
}

/** The run of a template with the typed parameters. */
function runCall(id: string, params: Readonly<Record<string, unknown>>): CopiedCall {
  return {
    method: 'POST',
    path: `/api/v1/templates/${encodeURIComponent(id)}/executions`,
    body: { params },
    operation: 'templates.run',
    args: [id, { params }],
    tool: { name: 'run_template', arguments: { id, params } },
  }
}
