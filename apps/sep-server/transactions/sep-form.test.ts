import { describe, expect, it } from 'vitest'
import { sepForm } from './sep-form.ts'
import type { Transaction } from '../tables.ts'

const at = new Date('2026-03-01T10:00:00Z')
const withdrawal: Transaction = {
  id: '7b0f3c1e-0000-4000-8000-000000000000',
  sep: '6',
  kind: 'withdrawal',
  status: 'completed',
  account: 'G',
  account_memo: null,
  client_domain: null,
  client_name: null,
  lang: null,
  type: 'imps',
  stellar_account: 'G',
  memo: null,
  memo_type: null,
  refund_memo: null,
  refund_memo_type: null,
  claimable_balance_supported: false,
  claimable_balance_id: null,
  customer_id: null,
  receiver_id: null,
  kyc_verified: true,
  amount_expected: '200.0000000',
  source_asset: 'stellar:M:G',
  destination_asset: 'iso4217:INR',
  quote_id: null,
  amount_in: '200.0000000',
  amount_in_asset: 'stellar:M:G',
  amount_out: '17567.2500000',
  amount_out_asset: 'iso4217:INR',
  fee_details: { total: '1.5', asset: 'stellar:M:G' },
  withdraw_anchor_account: 'G',
  withdraw_memo: '1',
  withdraw_memo_type: 'id',
  instructions: null,
  details: null,
  fields: {},
  stellar_transaction_id: null,
  external_transaction_id: null,
  refunds: null,
  message: null,
  callback: null,
  paid_by: null,
  customer_info_updates: null,
  on_change_callback: null,
  started_at: at,
  updated_at: at,
  user_action_required_by: at,
  transfer_received_at: at,
  completed_at: at,
}
const destination = { dest: '1234567890', dest_extra: 'HDFC0000001' }
const reported = (change: Partial<Transaction>) =>
  sepForm({ ...withdrawal, ...change }, destination, 'http://more.example')

describe('a transaction as wallets see it', () => {
  it('describes each part of the fee, under the name of either SEP', () => {
    const details = [
      { name: 'Payout fee', amount: '1' },
      { name: 'VAT', amount: '0.5', description: 'taxes' },
    ]
    const { fee_details: fee } = reported({ fee_details: { total: '1.5', asset: 'stellar:M:G', details } })
    const parts = [
      { name: 'Payout fee', amount: '1', description: 'Payout fee' },
      { name: 'VAT', amount: '0.5', description: 'taxes' },
    ]
    expect(fee).toEqual({ total: '1.5', asset: 'stellar:M:G', details: parts, breakdown: parts })
  })

  it('says where a withdrawal went, and when it was completed', () => {
    expect(reported({})).toMatchObject({
      to: '1234567890',
      external_extra: 'HDFC0000001',
      amount_in: '200',
      amount_out: '17567.25',
      amount_fee: '1.5',
      completed_at: '2026-03-01T10:00:00.000Z',
    })
  })

  it.each(['expired', 'error', 'pending_anchor'] as const)('that is %s was never completed', status => {
    expect(reported({ status }).completed_at).toBeUndefined()
  })

  it('has a user_action_required_by only while the user must act', () => {
    expect(reported({ status: 'pending_user_transfer_start' }).user_action_required_by).toBe(at.toISOString())
    expect(reported({ status: 'pending_anchor' }).user_action_required_by).toBeUndefined()
    expect(reported({ status: 'expired' }).user_action_required_by).toBeUndefined()
  })

  it('keeps its sums when the money went back: nothing out, no fee, all refunded', () => {
    const whole = { amount: '200', asset: 'stellar:M:G' }
    const none = { amount: '0', asset: 'stellar:M:G' }
    const refunds = {
      amount_refunded: whole,
      amount_fee: none,
      payments: [{ id: 'h', id_type: 'stellar' as const, amount: whole, fee: none }],
    }
    expect(reported({ status: 'refunded', refunds })).toMatchObject({
      amount_in: '200',
      amount_out: '0',
      amount_fee: '0',
      fee_details: { total: '0', asset: 'stellar:M:G' },
      refunded: true,
      refunds: { amount_refunded: '200', amount_fee: '0' },
    })
  })

  it('that asks for another account names the fields and describes them', () => {
    expect(
      reported({ status: 'pending_transaction_info_update', message: 'The bank knows no such account.' }),
    ).toMatchObject({
      required_info_message: 'The bank knows no such account.',
      required_info_updates: { transaction: { dest: { description: expect.stringContaining('IMPS') } } },
    })
    const asking = { status: 'pending_customer_info_update', message: 'Who are you?' } as const
    expect(reported({ ...asking, customer_info_updates: ['first_name'] })).toMatchObject({
      required_customer_info_message: 'Who are you?',
      required_customer_info_updates: ['first_name'],
    })
    expect(reported(asking)).not.toHaveProperty('required_customer_info_updates')
  })
})
