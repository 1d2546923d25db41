/** A top-up that the user wants to pay. */
export interface TopUpOrder {
  /**
   * Identifies this top-up for ever. A second order with the same id is the same top-up and must
   * not be charged again.
   */
  readonly id: string
  readonly account: string
  /** The user who asked for it. */
  readonly user: string
  readonly credits: number
  /** The URL to which the payer returns, as the caller gave it; `null`: none. */
  readonly returnUrl: string | null
}

/** The state of an order. */
export interface TopUpPlaced {
  /**
   * `completed`: it is paid. `pending`: the application reports the result later with
   * `platform.api.billing.confirmTopUp(id)` or `failTopUp(id)`.
   */
  readonly status: 'completed' | 'pending'
  /** The URL for the payment, such as a checkout page. */
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
   * It is called again with the same id if an answer was lost. If it throws, the caller gets 503
   * and may try again.
   */
  createTopUp(order: TopUpOrder): Promise<TopUpPlaced>
}
