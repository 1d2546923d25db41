import { refusalOf } from '../../../engine/egress/guard.ts'
import { ONE_ADDRESS, addressIn } from './address.ts'

/** Why nothing may be sent to a `mailto:` URL, judged by the URL alone. `null`: it is allowed. */
export function refuseMailUrl(url: string, allowPrivateNetwork: boolean): string | null {
  const address = addressIn(url)
  if (address === null) return ONE_ADDRESS
  const domain = address.slice(address.indexOf('@') + 1)
  return refusalOf(`https://${domain}/`, { allowPrivateNetwork }) === null
    ? null
    : 'The domain of this address is not on the public internet.'
}
