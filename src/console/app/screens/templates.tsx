import { useAnswer, useList } from '../parts/ask.ts'
import { listCall } from '../parts/copy-as.ts'
import { CopyAs } from '../parts/copies.tsx'
import { figure, To, Wrong } from '../parts/show.tsx'
import { go, screenAddress } from '../screen-address.ts'
import { client } from '../session.ts'
import { words } from '../words.ts'
import { SearchBox } from '../parts/search-box.tsx'

/** The catalog of ready-made recipes. */
export function Templates() {
  const { query } = screenAddress.value
  const q = query.get('q') ?? ''
  const category = query.get('category') ?? ''
  const categories = useAnswer(() => client.value.templates.categories(), [])
  const list = useList(
    (cursor) =>
      client.value.templates.list({
        limit: 30,
        ...(q !== '' && { q }),
        ...(category !== '' && { category }),
        ...(cursor !== undefined && { cursor }),
      }),
    [q, category],
  )
  const filter = (change: Readonly<Record<string, string>>) =>
    go(
      'templates',
      Object.fromEntries(
        Object.entries({ q, category, ...change }).filter(([, value]) => value !== ''),
      ),
      true,
    )
  return (
    <>
      <h1>{words.templates.title}</h1>
      <p>{words.templates.about}</p>
      <div class="filters">
        <SearchBox
          label={words.templates.search}
          text={q}
          onSearch={(text) => filter({ q: text })}
        />
        <label>
          <span>{words.templates.category}</span>
          <select
            value={category}
            onChange={(event) => filter({ category: event.currentTarget.value })}
          >
            <option value="">{words.templates.all}</option>
            {categories.value?.items.map(({ name, templates }) => (
              <option key={name} value={name}>
                {name} ({templates})
              </option>
            ))}
          </select>
        </label>
      </div>
      <Wrong problem={list.problem} />
      {list.hasMore === false && list.items.length === 0 && <p>{words.templates.none}</p>}
      <ul class="proposals">
        {list.items.map(({ id, name, description, columns, price }) => (
          <li key={id}>
            <h2>
              <To screen="template" query={{ id }}>
                {name}
              </To>
            </h2>
            <p>{description}</p>
            {columns && <p class="quote">{columns.map((column) => column.name).join(', ')}</p>}
            <small>
              {words.templates.price(figure(price.typicalCredits), figure(price.typicalPages))}
            </small>
          </li>
        ))}
      </ul>
      {list.hasMore && (
        <button type="button" class="quiet" onClick={list.more}>
          {words.more}
        </button>
      )}
      <CopyAs
        call={{
          ...listCall({
            path: 'templates',
            operation: 'templates.list',
            query: { limit: 30, ...(q && { q }), ...(category && { category }) },
            command: 'templates list',
          }),
          tool: { name: 'search_templates', arguments: { ...(q && { query: q }) } },
        }}
      />
    </>
  )
}
