import { describeError } from '@windlass/ui/console/errors.ts'
import type { BankPayout } from '@windlass/contracts/anchor/payout-files.ts'
import { decideWorkspaceReturnAccount } from '@windlass/contracts/platform/workspace-bank-files.ts'
import { useMutation, useQuery } from '@tanstack/react-query'
import { Button } from '@windlass/ui/button.tsx'
import { ErrorNotice } from '@windlass/ui/data-screen.tsx'
import { formatDateTime, formatMoney } from '@windlass/ui/formats.ts'
import { Code, type Column, Table } from '@windlass/ui/table.tsx'
import { operator, profileQuery } from '../../session.ts'
import { useWorkspace } from '../workspace.tsx'
import { payoutTexts } from './payout-texts.ts'

interface WishesProps {
  payouts: readonly BankPayout[]
  manages: boolean
  onDone(): void
}

type Wished = BankPayout & { accountWish: NonNullable<BankPayout['accountWish']> }

/** Accounts that someone wants returns to go to; nothing while there are none. */
export function Wishes({ payouts, manages, onDone }: WishesProps) {
  const { id: anchorId } = useWorkspace()
  const ownId = useQuery(profileQuery).data?.user.id
  const { wishes: words } = payoutTexts
  const decide = useMutation({
    mutationFn: ({ id, approve }: { id: string; approve: boolean }) =>
      operator.call(decideWorkspaceReturnAccount, { params: { anchorId, id }, body: { approve } }),
    onSettled: onDone,
  })
  const wished = payouts.filter((payout): payout is Wished => Boolean(payout.accountWish))
  if (wished.length === 0) return null
  const columns: Column<Wished>[] = [
    {
      head: words.columns.amount,
      numeric: true,
      value: row => row.amount,
      cell: row => formatMoney(row.amount, row.currency),
    },
    {
      head: words.columns.payee,
      className: 'wrap-anywhere',
      cell: ({ accountWish: { payee } }) => (
        <>
          {payee.name} <Code>{[payee.account, payee.bank].filter(Boolean).join(' ')}</Code>
        </>
      ),
    },
    {
      head: words.columns.by,
      className: 'text-soft',
      cell: ({ accountWish: { requestedAt, requestedBy } }) => (
        <>
          <time dateTime={requestedAt}>{formatDateTime(requestedAt)}</time>
          {requestedBy === `operator:${ownId}` && <p className="text-13">{words.own}</p>}
        </>
      ),
    },
  ]
  if (manages)
    columns.push({
      head: words.columns.actions,
      className: 'text-right',
      cell: ({ accountWish: { id, payee, requestedBy } }) => (
        <>
          {requestedBy !== `operator:${ownId}` && (
            <Button
              aria-label={words.approveWhat(payee.account)}
              onClick={() => decide.mutate({ id, approve: true })}
            >
              {words.approve}
            </Button>
          )}
          <Button
            look="quietDanger"
            aria-label={words.dismissWhat(payee.account)}
            onClick={() => decide.mutate({ id, approve: false })}
          >
            {words.dismiss}
          </Button>
        </>
      ),
    })
  return (
    <div className="space-y-2">
      <h3 className="text-14 font-semibold">{words.title}</h3>
      <p className="text-14 text-soft">{words.lead}</p>
      {decide.error && <ErrorNotice failure={{ ...describeError(decide.error), title: words.failed }} />}
      <Table caption={words.title} rows={wished} keyOf={row => row.id} columns={columns} />
    </div>
  )
}
