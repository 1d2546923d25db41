import type { Payments, TopUpOrder, TopUpPlaced } from '../../../src/ports/payments.ts'

/** A provider of payments that a test controls: its orders, and its answers. */
export interface FakePayments extends Payments {
  readonly orders: TopUpOrder[]
  /** The charges: one for each id, however often it is ordered. */
  readonly charged: ReadonlyMap<string, number>
  answer: TopUpPlaced['status'] | Error
}

/** A provider that takes money at once, or lets the payer wait. */
export function createFakePayments(answer: TopUpPlaced['status'] = 'completed'): FakePayments {
  const charged = new Map<string, number>()
  const provider: FakePayments = {
    orders: [],
    charged,
    answer,
    async createTopUp(order) {
      provider.orders.push(order)
      if (provider.answer instanceof Error) throw provider.answer
      charged.set(order.id, order.credits)
      return {
        status: provider.answer,
        ...(provider.answer === 'pending' && { url: `https://pay.example.com/${order.id}` }),
      }
    },
  }
  return provider
}
