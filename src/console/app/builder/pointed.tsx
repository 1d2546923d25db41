import { useTyped } from '../typed.ts'
import { words } from '../words.ts'
import type { Verb } from './actions.tsx'
import { change, draft } from './draft.ts'
import type { FindsElsewhere, TriedCandidates } from './elsewhere.ts'
import { detailsOf, itemsOn, nextOf, withColumnOn, withNext } from './recipe.ts'
import type { RecipeField } from './recipe.ts'

const VERBS = {
  click: () => words.builder.click,
  more: () => words.builder.clickMore,
  wait: () => words.builder.wait,
} as const

/** The matches of a candidate on the other kept pages, if there are any. */
function Elsewhere({ of: finds }: { readonly of: FindsElsewhere | undefined }) {
  return finds === undefined ? null : (
    <small> · {words.builder.elsewhere(finds.filled, finds.rows)}</small>
  )
}

/** Buttons for the uses of the element that the user pointed at, the likeliest first. */
export function Pointed({
  candidates,
  label,
  onDone,
  onMark,
  onItems,
  onDetails,
  onAction,
}: {
  readonly candidates: TriedCandidates
  /** Label of the shown page. */
  readonly label: string
  readonly onDone: () => void
  /** Shows the matches of a choice. */
  readonly onMark: (elements: readonly number[]) => void
  /** Chooses the rows. The element becomes their first column. */
  readonly onItems: (items: string) => void
  /** Continues on the detail page behind the link of each row. */
  readonly onDetails: () => void
  /** Adds an action on the element before the page is read. */
  readonly onAction: (verb: Verb, value: string) => void
}) {
  const now = draft.value
  if (now === null) return null
  const { recipe } = now
  const items = itemsOn(recipe, label)
  const isRendered = recipe.page?.render === 'browser'
  const { name, text, sources, lists, link, attributes, isInItems, elsewhere } = candidates
  const [best] = sources
  const add = (field: unknown, column = name): void => {
    change(withColumnOn(recipe, label, column, field as RecipeField))
    onDone()
  }
  const marked = (elements: readonly number[]) => ({
    onMouseEnter: () => onMark(elements),
    onFocus: () => onMark(elements),
    onMouseLeave: () => onMark([]),
  })
  return (
    <section class="pointed" aria-label={words.builder.pointed}>
      <p class="quote">{text === '' ? words.builder.noText : text}</p>
      {items !== undefined && !isInItems && <p>{words.builder.outside}</p>}
      <div class="choices">
        {link?.next != null && nextOf(recipe) !== link.next && (
          <button
            type="button"
            onClick={() => {
              if (link.next !== null) change(withNext(recipe, link.next))
              onDone()
            }}
          >
            {words.builder.follow}
          </button>
        )}
        {link !== null && link.next === null && detailsOf(recipe) === null && isInItems && (
          <button type="button" onClick={onDetails}>
            {words.builder.details}
          </button>
        )}
        {lists.map((list) => (
          <button
            key={list.items}
            type="button"
            {...marked(list.elements)}
            onClick={() => onItems(list.items)}
          >
            {words.builder.rowsOf(list.matches)} <code>{list.items}</code>
          </button>
        ))}
        {best && (
          <button type="button" {...marked(best.elements)} onClick={() => add(best.field)}>
            {words.builder.column(name)}
            <Elsewhere of={elsewhere.get(best.selector)} />
          </button>
        )}
        {best &&
          Object.keys(attributes).map((attribute) => (
            <button
              key={attribute}
              type="button"
              class="quiet"
              onClick={() =>
                add(
                  {
                    css: best.selector,
                    attr: attribute,
                    ...(/^(?:href|src)$/.test(attribute) && { as: 'url' }),
                  },
                  attribute === 'href' ? 'url' : attribute,
                )
              }
            >
              {words.builder.attribute(attribute)}
            </button>
          ))}
        {isRendered &&
          (['click', 'more', 'wait'] as const).map((verb) => (
            <button key={verb} type="button" class="quiet" onClick={() => onAction(verb, '')}>
              {VERBS[verb]()}
            </button>
          ))}
        <button type="button" class="quiet" onClick={onDone}>
          {words.builder.nothing}
        </button>
      </div>
      {isRendered && (
        <FillForm
          key={best?.selector}
          selector={best?.selector ?? ''}
          onText={(value) => onAction('fill', value)}
        />
      )}
      {sources.length > 1 && (
        <details>
          <summary>{words.builder.others}</summary>
          <ul class="choices">
            {sources.slice(1).map((source) => (
              <li key={source.selector}>
                <button
                  type="button"
                  class="quiet"
                  {...marked(source.elements)}
                  onClick={() => add(source.field)}
                >
                  <code>{source.selector}</code> {words.builder.matches(source.matches)}
                  <Elsewhere of={elsewhere.get(source.selector)} />
                </button>
              </li>
            ))}
          </ul>
        </details>
      )}
    </section>
  )
}

/** Asks for the text to type into an element of the page before it is read. */
function FillForm({
  selector,
  onText,
}: {
  readonly selector: string
  readonly onText: (text: string) => void
}) {
  const text = useTyped(`fill ${selector}`, '')
  return (
    <form
      class="line"
      onSubmit={(event) => {
        event.preventDefault()
        const { value } = text
        text.value = ''
        onText(value)
      }}
    >
      <label for="typed">{words.builder.typed}</label>
      <input
        id="typed"
        required
        maxLength={1_000}
        value={text}
        onInput={(event) => (text.value = event.currentTarget.value)}
      />
      <button type="submit" class="quiet">
        {words.builder.type}
      </button>
    </form>
  )
}
