/** A top-up that is to be paid. */
export interface TopUpOrder {
  /**
   * Names this top-up for ever. A second order with the same id is the same one: it must not be
   * charged again.
   */
  readonly id: string
  readonly account: string
  /** Who asked for it. */
  readonly user: string
  readonly credits: number
  /** Where the payer wants to come back to, as the caller gave it; `null`: nowhere. */
  readonly returnUrl: string | null
}

/** The state of an order. */
export interface TopUpPlaced {
  /**
   * `completed`: it is paid. `pending`: the host says later, by
   * `platform.api.billing.confirmTopUp(id)` or `failTopUp(id)`.
   */
  readonly status: 'completed' | 'pending'
  /** Where it is paid, such as a checkout page. */
  readonly url?: string
}

/**
 * The payment provider for credits. It decides on the price of a credit, currencies, taxes and
 * receipts; the platform only counts credits.
 *
 * @example
 *   const payments: Payments = {
 *     async createTopUp({ id, credits }) {
 *       const url = `https://pay.example.com/checkout?reference=${id}&credits=${credits}`
 *       return { status: 'pending', url }
 *     },
 *   }
 */
export interface Payments {
  /**
   * Called again with the same id where an answer was lost. What it throws is 503 to the caller,
   * who may try again.
   */
  createTopUp(order: TopUpOrder): Promise<TopUpPlaced>
}
