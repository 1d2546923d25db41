import { Agents } from './agents.tsx'
import { Keys } from './keys.tsx'
import { Reference } from './reference.tsx'
import { Usage } from './usage.tsx'
import { Webhooks } from './webhooks.tsx'

/** The screens of an account, as one file for browsers. */
export const accountScreens = {
  usage: Usage,
  keys: Keys,
  webhooks: Webhooks,
  agents: Agents,
  reference: Reference,
}
