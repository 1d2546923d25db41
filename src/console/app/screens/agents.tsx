import { useSignal } from '@preact/signals'
import type { AgenticExecution, Tool } from '../../../client.ts'
import { useAction, useAnswer, useList } from '../parts/ask.ts'
import { callTool } from '../parts/call-tool.ts'
import type { CallProgress } from '../parts/call-tool.ts'
import { listCall } from '../parts/copy-as.ts'
import { CopyAs, Texts } from '../parts/copies.tsx'
import { SchemaFields, valuesOf } from '../parts/schema-form.tsx'
import type { FormEntries } from '../parts/schema-form.tsx'
import { Listing } from '../parts/listing.tsx'
import { figure, timeOf, To, Wrong } from '../parts/show.tsx'
import { Unfolding } from '../parts/unfolding.tsx'
import { apiAddress, client } from '../session.ts'
import { useTyped } from '../typed.ts'
import { words } from '../words.ts'

/** Shows how agents reach the service, its tools, and the latest calls. */
export function Agents() {
  const address = `${apiAddress()}/mcp`
  const tools = useAnswer(() => client.value.mcp.tools(), [])
  const calls = useList(
    (cursor) => client.value.mcp.list({ limit: 30, ...(cursor !== undefined && { cursor }) }),
    [],
  )
  return (
    <>
      <h1>{words.agents.title}</h1>
      <p>
        {words.agents.about} <code>{address}</code>
      </p>
      <details>
        <summary>{words.agents.paste}</summary>
        <Texts texts={clientsOf(address)} />
      </details>
      <h2>{words.agents.tools}</h2>
      <Wrong problem={tools.problem} />
      {tools.value?.items.map((tool) => (
        <Playground key={tool.name} tool={tool} onCalled={calls.again} />
      ))}
      <section aria-labelledby="calls">
        <h2 id="calls">{words.agents.calls}</h2>
        <Listing
          caption={words.agents.calls}
          list={calls}
          empty={<p>{words.agents.noCalls}</p>}
          columns={[
            { name: words.agents.when, cell: ({ at }) => timeOf(at) },
            { name: words.agents.tool, cell: ({ tool }) => tool },
            { name: words.webhooks.answer, cell: ({ code }) => code ?? words.agents.answered },
            { name: words.agents.credits, isNumber: true, cell: ({ credits }) => figure(credits) },
            {
              name: words.run.title,
              cell: ({ executionId }) =>
                executionId !== null && (
                  <To screen="run" query={{ id: executionId }}>
                    {words.finish.watch}
                  </To>
                ),
            },
          ]}
        />
      </section>
      <CopyAs
        call={listCall({
          path: 'mcp/agentic-executions',
          operation: 'mcp.list',
          query: { limit: 30 },
        })}
      />
    </>
  )
}

/** A tool with a form for its arguments. The shown result is the same as for an agent. */
function Playground({ tool, onCalled }: { readonly tool: Tool; readonly onCalled: () => void }) {
  const typed = useTyped<FormEntries>(tool.name, {})
  const answer = useSignal<AgenticExecution | null>(null)
  const progress = useSignal<CallProgress | null>(null)
  const action = useAction()
  return (
    <Unfolding
      id={tool.name}
      summary={
        <>
          <code>{tool.name}</code> {tool.title}
        </>
      }
    >
      <p class="pre">{tool.description}</p>
      <details>
        <summary>{words.agents.schema}</summary>
        <pre tabIndex={0} role="region" aria-label={words.agents.schema}>
          {JSON.stringify(tool.inputSchema, null, 2)}
        </pre>
      </details>
      <form
        class="stack wide"
        onSubmit={(event) => {
          event.preventDefault()
          action.run(async () => {
            answer.value = null
            progress.value = null
            answer.value = await callTool(
              {
                tool: tool.name,
                arguments: JSON.parse(JSON.stringify(valuesOf(tool.inputSchema, typed.value))),
                waitSeconds: 20,
              },
              (next) => (progress.value = next),
            )
            onCalled()
          }, true)
        }}
      >
        <SchemaFields
          schema={tool.inputSchema}
          typed={typed.value}
          onTyped={(next) => (typed.value = next)}
        />
        <div class="choices">
          <button type="submit" disabled={action.isBusy}>
            {words.agents.call}
          </button>
        </div>
      </form>
      <div role="status">
        {action.isBusy &&
          (progress.value === null ? words.loading : <Progress of={progress.value} />)}
      </div>
      <Wrong problem={action.problem} />
      {answer.value && (
        <>
          <h3>{words.agents.result}</h3>
          <pre tabIndex={0} role="region" aria-label={words.agents.result}>
            {JSON.stringify(answer.value.result, null, 2)}
          </pre>
        </>
      )}
    </Unfolding>
  )
}

function Progress({ of: { done, total, message } }: { readonly of: CallProgress }) {
  return (
    <>
      <progress value={done} max={total ?? undefined} aria-label={message} />{' '}
      {words.agents.progress(done, total)}
    </>
  )
}

/** Lines to paste. The key is the reader's own. */
function clientsOf(address: string): readonly { readonly name: string; readonly text: string }[] {
  return [
    {
      name: 'Claude Code',
      text: `claude mcp add --transport http seine ${address} --header "Authorization: Bearer $SEINE_KEY"`,
    },
    {
      name: 'Codex',
      text: `[mcp_servers.seine]\nurl = "${address}"\nbearer_token_env_var = "SEINE_KEY"`,
    },
    {
      name: 'Cursor',
      text: JSON.stringify(
        {
          mcpServers: {
            seine: { url: address, headers: { Authorization: 'Bearer ${env:SEINE_KEY}' } },
          },
        },
        null,
        2,
      ),
    },
  ]
}
