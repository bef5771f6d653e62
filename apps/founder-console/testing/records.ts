import type { TreasurySettings } from '@windlass/contracts/anchor/business-server.ts'
import type { TransactionNote } from '@windlass/contracts/anchor/developer-api.ts'
import {
  decideWorkspaceAction,
  type OperatorAction,
  requestWorkspaceAction,
} from '@windlass/contracts/anchor/operator-actions.ts'
import {
  addWorkspaceCustomerNote,
  addWorkspaceTransactionNote,
  getWorkspaceCustomer,
  getWorkspaceTransaction,
  getWorkspaceTreasury,
  getWorkspaceTreasurySettings,
  listWorkspaceBalances,
  listWorkspaceCustomers,
  listWorkspaceEntries,
  listWorkspaceIncidents,
  listWorkspaceTransactions,
  readWorkspaceLedgerAgain,
  resolveWorkspaceIncident,
  setWorkspaceTreasurySettings,
} from '@windlass/contracts/platform/workspace-records.ts'
import { type FakePlatform, Refusal } from '@windlass/ui/testing/fake-platform.ts'
import { actionOf, type Inside, type OperatorsState, transaction, workspace } from './operators-state.ts'

/** What the platform answers about transactions, customers and the treasury. */
export function answerRecords(platform: FakePlatform, state: OperatorsState, inside: Inside): void {
  platform.answer(getWorkspaceTreasury, () =>
    inside({
      status: 'ok' as const,
      treasury_capacity: '998750',
      assets: [
        {
          code: 'HARB',
          issuer: workspace.issuer ?? '',
          anchoredTo: 'USD',
          balance: '999750',
          reserved: '1000',
        },
      ],
      ledger: {
        connected: true,
        lastLedger: 4711,
        observerLag: 0,
        spendableXlm: '0.5',
        fee: { last: '0.00001', max: '0.1' },
      },
      treasury: {
        ...state.treasury,
        cold: '25000',
        outflowPerDay: '5000',
        daysLeft: 190.5,
        topUp: { account: workspace.distribution ?? '', memo: 'top-up' },
      },
      waiting: { payments: 1, reason: 'needs 2.5 XLM' },
      rails: [
        { name: 'SEPA', currency: 'EUR', simulated: false, bankFiles: true, rate: '0.92' },
        { name: 'UPI', currency: 'INR', simulated: true, rate: '88.5' },
      ],
      version: '0.1.0',
    }),
  )
  const treasuryHistory = () => {
    const version = { settings: state.treasury, by: 'operator:usr_1', at: transaction.createdAt }
    return inside({ settings: state.treasury, history: state.treasuryWasSet ? [version] : [] })
  }
  platform.answer(getWorkspaceTreasurySettings, treasuryHistory)
  platform.answer(setWorkspaceTreasurySettings, ({ body }) => {
    if (!state.confirmed) return new Refusal('confirmation-needed', 'Confirm who you are.')
    state.treasury = body as TreasurySettings
    return treasuryHistory()
  })
  platform.answer(listWorkspaceTransactions, () =>
    inside([
      transaction,
      {
        ...transaction,
        id: 'other',
        kind: 'withdrawal' as const,
        status: 'awaiting_funds',
        amount: null,
        railAmount: null,
      },
    ]),
  )
  platform.answer(getWorkspaceTransaction, () =>
    inside({
      ...transaction,
      history: [
        { status: 'new', reason: 'the wallet began it', at: '2026-11-20T10:00:00.000Z' },
        { status: 'completed', reason: 'the ledger took the payment', at: '2026-11-20T10:05:00.000Z' },
      ],
      notes: state.notes,
      actions: state.actions,
      possibleActions: state.possibleActions,
      payments: [
        {
          purpose: 'deposit' as const,
          status: 'paid' as const,
          asset: null,
          amount: '250',
          hash: 'c'.repeat(64),
          networkFee: '0.00001',
          waitsFor: null,
        },
      ],
    }),
  )
  platform.answer(addWorkspaceTransactionNote, ({ body }) => {
    const { text } = body as { text: string }
    const note = {
      id: `note_${state.notes.length}`,
      text,
      by: 'operator:usr_1',
      at: '2026-11-20T10:09:00.000Z',
    }
    state.notes = [...state.notes, note]
    return inside(note)
  })
  platform.answer(requestWorkspaceAction, ({ body }) => {
    if (!state.confirmed) return new Refusal('confirmation-needed', 'Confirm who you are.')
    const asked = body as Pick<OperatorAction, 'kind' | 'reason'> & { paymentId?: string }
    const action = actionOf(`act_${state.actions.length}`, { ...asked, status: 'done' })
    state.actions = [...state.actions, action]
    return inside(action)
  })
  platform.answer(decideWorkspaceAction, ({ params, body }) => {
    if (!state.confirmed) return new Refusal('confirmation-needed', 'Confirm who you are.')
    const status = (body as { approve: boolean }).approve ? 'done' : 'rejected'
    const found = state.actions.find(({ id }) => id === params.id)
    if (!found) throw new Refusal('action-not-found', 'There is no action with this id.')
    const action = {
      ...found,
      status,
      decidedBy: 'operator:usr_1',
      decidedAt: '2026-11-20T10:10:00.000Z',
    } as const
    state.actions = state.actions.map(each => (each === found ? action : each))
    return inside(action)
  })
  platform.answer(listWorkspaceIncidents, () => inside(state.incidents))
  platform.answer(resolveWorkspaceIncident, ({ params, body }) => {
    const incident = state.incidents.find(({ id }) => id === params.id)
    if (!incident)
      throw new Refusal('ledger-incident-not-found', 'There is no open ledger incident with this id.')
    Object.assign(incident, {
      resolvedAt: transaction.createdAt,
      resolution: (body as { resolution: string }).resolution,
    })
    return inside(incident)
  })
  platform.answer(readWorkspaceLedgerAgain, ({ body }) => {
    state.readAgain = body as { from: number; reason: string }
    return new Refusal('second-person-waits', 'Another owner or admin has to approve this.')
  })
  platform.answer(listWorkspaceBalances, () =>
    inside([
      { account: 'customers', unit: 'asset', amount: '-250' },
      { account: 'rail:UPI', unit: 'INR', amount: '22279.88' },
      { account: 'treasury', unit: 'asset', amount: '999750' },
    ]),
  )
  platform.answer(listWorkspaceEntries, () =>
    inside([
      {
        id: 'entry_1',
        kind: 'deposit',
        transactionId: transaction.id,
        createdAt: transaction.createdAt,
        lines: [
          { account: 'exchange', unit: 'asset', amount: '251.75' },
          { account: 'customers', unit: 'asset', amount: '-250' },
          { account: 'fees', unit: 'asset', amount: '-1.75' },
        ],
      },
    ]),
  )
  platform.answer(listWorkspaceCustomers, ({ query }) => inside(customersOf(query.get('status'))))
  const notes: TransactionNote[] = []
  platform.answer(getWorkspaceCustomer, ({ params }) => {
    const { id, status } = customersOf(null).find(each => each.id === params.id)!
    return inside({
      ...{ id, status, account: transaction.account, memo: transaction.memo, tier: 'enhanced' as const },
      createdAt: transaction.createdAt,
      checked: { provider: 'didit', at: transaction.createdAt },
      namesDiffer: true,
      samePerson: [
        { id: 'c2', account: transaction.account, memo: '43', by: 'document' },
        { id: 'c3', account: transaction.account, memo: null, by: 'name' },
      ],
      held: ['first_name', 'last_name', 'photo_id_front'],
      tiers: [
        { tier: 'enhanced', reason: 'Passport seen.', by: 'operator:usr_1', at: transaction.createdAt },
      ],
      notes,
    })
  })
  platform.answer(addWorkspaceCustomerNote, ({ body }) => {
    const { text } = body as { text: string }
    const note = { id: `note_${notes.length}`, text, by: 'operator:usr_1', at: transaction.createdAt }
    notes.push(note)
    return note
  })
}

const customersOf = (status: string | null) =>
  [
    {
      id: 'c1',
      account: transaction.account,
      memo: '42',
      status: 'ACCEPTED',
      createdAt: transaction.createdAt,
    },
    {
      id: 'c2',
      account: transaction.account,
      memo: null,
      status: 'NEEDS_INFO',
      createdAt: transaction.createdAt,
    },
  ].filter(customer => status === null || customer.status === status)
