import type { RecipeInput } from '../../../client.ts'
import { words } from '../words.ts'

/** An action of the browser before a page is read. */
export type RecipeAction = NonNullable<NonNullable<RecipeInput['page']>['actions']>[number]

/** An action on the element that a user pointed at. */
export type Verb = 'click' | 'more' | 'wait' | 'fill'

/** Maximum number of clicks on a button such as “Load more”. */
const MOST_CLICKS = 10

/** The action on an element. `value`: the text to type into it. */
export function actionOn(verb: Verb, selector: string, value: string): RecipeAction {
  switch (verb) {
    case 'click':
      return { click: selector, optional: true }
    case 'more':
      return { click: selector, optional: true, times: MOST_CLICKS }
    case 'wait':
      return { wait: selector }
    case 'fill':
      return { fill: selector, value }
  }
}

/** Actions that need no element. */
const PLAIN: readonly (readonly [name: () => string, action: RecipeAction])[] = [
  [() => words.builder.scroll, { scroll: 'end' }],
  [() => words.builder.enter, { press: 'Enter' }],
]

/**
 * The actions of the browser before the page is read. Each can be removed. Actions without an
 * element are added here; the others are added by pointing at the page.
 */
export function Actions({
  actions,
  isBusy,
  onChange,
}: {
  readonly actions: readonly RecipeAction[]
  readonly isBusy: boolean
  readonly onChange: (actions: readonly RecipeAction[]) => void
}) {
  return (
    <section class="steps" aria-label={words.builder.before}>
      <p>{actions.length === 0 ? words.builder.noSteps : words.builder.before}</p>
      <ol>
        {actions.map((action, index) => (
          <li key={`${index} ${JSON.stringify(action)}`}>
            {nameOf(action)}{' '}
            <button
              type="button"
              class="quiet"
              disabled={isBusy}
              aria-label={words.builder.removeStep(nameOf(action))}
              onClick={() => onChange(actions.filter((_, other) => other !== index))}
            >
              ×
            </button>
          </li>
        ))}
      </ol>
      <div class="choices">
        {PLAIN.map(([name, action]) => (
          <button
            key={name()}
            type="button"
            class="quiet"
            disabled={isBusy}
            onClick={() => onChange([...actions, action])}
          >
            {name()}
          </button>
        ))}
      </div>
    </section>
  )
}

/** An action as a text for people. An action without such a text is shown as JSON. */
function nameOf(action: RecipeAction): string {
  const { wait, click, fill, press, scroll, value = '', times = 1 } = action
  const { actions } = words.builder
  if (typeof click === 'string') return actions.click(click, times)
  if (typeof fill === 'string') return actions.fill(value, fill)
  if (typeof wait === 'string') return actions.wait(wait)
  if (scroll === 'end') return words.builder.scroll
  return press === 'Enter' ? words.builder.enter : JSON.stringify(action)
}
