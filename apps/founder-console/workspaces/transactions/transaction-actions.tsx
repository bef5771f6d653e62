import {
  getWorkspaceTransaction,
  listWorkspaceTransactions,
} from '@windlass/contracts/platform/workspace-records.ts'
import { describeError, failedAs } from '@windlass/ui/console/errors.ts'
import {
  type ActionKind,
  decideWorkspaceAction,
  type OperatorAction,
  type PayeeAccount,
  requestWorkspaceAction,
} from '@windlass/contracts/anchor/operator-actions.ts'
import { useMutation, useQuery } from '@tanstack/react-query'
import { Button } from '@windlass/ui/button.tsx'
import { ChoicesField } from '@windlass/ui/choices.tsx'
import { ErrorNotice } from '@windlass/ui/data-screen.tsx'
import { TextAreaField, TextField } from '@windlass/ui/field.tsx'
import { type FormErrors, FormShell, useForm } from '@windlass/ui/form.tsx'
import { formatDateTime } from '@windlass/ui/formats.ts'
import { Status, type Tone } from '@windlass/ui/notice.tsx'
import { useState } from 'react'
import { refresh } from '../../queries.ts'
import { operator, profileQuery } from '../../session.ts'
import { texts } from './action-texts.ts'
import { useMemberName } from '../team/members.ts'
import { useWorkspace } from '../workspace.tsx'
import { manages } from '../manages.ts'

type Direction = 'deposit' | 'withdrawal'

interface ActionsProps {
  /** The transaction's. */
  id: string
  direction: Direction
  /** What a refund sends, in words; undefined: nothing is agreed yet. */
  refund: string | undefined
  actions: readonly OperatorAction[]
  possible: readonly ActionKind[]
}

/** What the team did with a transaction, what waits for a second person, and a form for what can be done now. */
export function TransactionActions({ id, direction, refund, actions, possible }: ActionsProps) {
  const { role } = useWorkspace()
  /** Each action leaves the form empty. */
  const [asked, setAsked] = useState(0)
  const canAsk =
    manages(role, 'finance') && possible.length > 0 && !actions.some(({ status }) => status === 'waiting')
  if (actions.length === 0 && !canAsk) return null
  return (
    <section className="space-y-2">
      <h3 className="text-13 font-medium text-soft">{texts.title}</h3>
      {actions.length > 0 && (
        <ol className="divide-y divide-line rounded-8 border border-line text-13">
          {actions.map(action => (
            <Action key={action.id} action={action} refund={refund} />
          ))}
        </ol>
      )}
      {canAsk && (
        <ActionForm
          key={`${asked} ${possible.join(' ')}`}
          id={id}
          direction={direction}
          refund={refund}
          possible={possible}
          onDone={() => setAsked(asked + 1)}
        />
      )}
    </section>
  )
}

const refreshTransactions = () => refresh(getWorkspaceTransaction, listWorkspaceTransactions)

const tones: Record<OperatorAction['status'], Tone> = { waiting: 'warn', done: 'good', rejected: 'neutral' }

function Action({ action, refund }: { action: OperatorAction } & Pick<ActionsProps, 'refund'>) {
  const { role } = useWorkspace()
  const nameOf = useMemberName()
  const { kind, status, requestedBy, decidedBy, paymentId, account, reason } = action
  // An action without a second person is done by who asked for it.
  const decided = decidedBy === null || (status === 'done' && decidedBy === requestedBy) ? null : decidedBy
  return (
    <li className="space-y-1 px-3 py-2">
      <p className="flex flex-wrap items-center justify-between gap-x-4">
        <strong className="font-medium">{texts.kinds[kind]}</strong>
        <Status tone={tones[status]}>{texts.statuses[status]}</Status>
      </p>
      {kind === 'refund' && status === 'waiting' && <p>{refund}</p>}
      <p className="whitespace-pre-wrap wrap-anywhere">{reason}</p>
      {paymentId && <p className="wrap-anywhere text-soft">{texts.payment(paymentId)}</p>}
      {account && (
        <p className="wrap-anywhere">
          {texts.account.to(
            [account.dest, account.dest_extra, account.dest_name].filter(Boolean).join(' · '),
          )}
        </p>
      )}
      <p className="flex flex-wrap justify-between gap-x-4 text-soft">
        {texts.requested(nameOf(requestedBy))}
        <time dateTime={action.requestedAt}>{formatDateTime(action.requestedAt)}</time>
      </p>
      {decided && (
        <p className="flex flex-wrap justify-between gap-x-4 text-soft">
          {status === 'done' ? texts.approved(nameOf(decided)) : texts.rejected(nameOf(decided))}
          {action.decidedAt && <time dateTime={action.decidedAt}>{formatDateTime(action.decidedAt)}</time>}
        </p>
      )}
      {status === 'waiting' && manages(role, 'finance') && <Decision action={action} />}
    </li>
  )
}

function Decision({ action: { id, kind, requestedBy } }: { action: OperatorAction }) {
  const { id: anchorId } = useWorkspace()
  const ownId = useQuery(profileQuery).data?.user.id
  const isOwn = requestedBy === `operator:${ownId}`
  const decide = useMutation({
    mutationFn: (approve: boolean) =>
      operator.call(decideWorkspaceAction, { params: { anchorId, id }, body: { approve } }),
    onSettled: () => refreshTransactions(),
  })
  return (
    <div className="space-y-2">
      {decide.error && (
        <ErrorNotice failure={{ ...describeError(decide.error), title: texts.decisionFailed }} />
      )}
      {isOwn && <p className="text-soft">{texts.own}</p>}
      <div className="flex flex-wrap gap-2">
        {!isOwn && (
          <Button
            look="primary"
            pending={decide.isPending && decide.variables === true}
            aria-label={texts.approveWhat(texts.kinds[kind])}
            onClick={() => decide.mutate(true)}
          >
            {texts.approve}
          </Button>
        )}
        <Button
          look="quietDanger"
          pending={decide.isPending && decide.variables === false}
          aria-label={texts.rejectWhat(texts.kinds[kind])}
          onClick={() => decide.mutate(false)}
        >
          {texts.reject}
        </Button>
      </div>
    </div>
  )
}

function AccountFields() {
  const { account: words } = texts
  return (
    <fieldset className="space-y-4">
      <legend className="text-14 font-medium">{words.title}</legend>
      <p className="text-13 text-soft">{words.lead}</p>
      <TextField name="dest" label={words.dest} maxLength={100} optional />
      <TextField name="dest_extra" label={words.extra} maxLength={40} optional />
      <TextField name="dest_name" label={words.name} maxLength={100} optional />
    </fieldset>
  )
}

interface ActionFormProps {
  id: string
  direction: Direction
  refund: string | undefined
  possible: readonly ActionKind[]
  onDone(): void
}

function ActionForm({ id, direction, refund, possible, onDone }: ActionFormProps) {
  const { id: anchorId } = useWorkspace()
  const form = useForm({
    initial: { kind: '', paymentId: '', dest: '', dest_extra: '', dest_name: '', reason: '' },
    check: ({ kind, paymentId, dest, dest_extra, dest_name, reason }) => {
      const errors: FormErrors = {}
      if (kind === '') errors.kind = texts.kindMissing
      if (kind === 'mark-paid' && paymentId.trim() === '') errors.paymentId = texts.paymentId.missing
      if (dest.trim() === '' && `${dest_extra}${dest_name}`.trim() !== '') errors.dest = texts.account.missing
      if (reason.trim() === '') errors.reason = texts.reason.missing
      return errors
    },
    send: async ({ kind: chosen, paymentId, reason, ...fields }) => {
      const kind = possible.find(each => each === chosen)
      if (!kind) return
      const evidence = kind === 'mark-paid' ? { paymentId: paymentId.trim() } : {}
      const to = Object.entries(fields).flatMap(([name, value]) =>
        value.trim() ? [[name, value.trim()]] : [],
      )
      const account = Object.fromEntries(to) as PayeeAccount
      const named = kind === 'pay-again' && account.dest ? { account } : {}
      const body = { kind, reason: reason.trim(), ...evidence, ...named }
      await operator.call(requestWorkspaceAction, { params: { anchorId, id }, body })
      await refreshTransactions()
      onDone()
    },
    explain: failedAs(texts.failed),
  })
  const kind = possible.find(each => each === form.values.kind)
  return (
    <FormShell form={form}>
      <ChoicesField
        single
        name="kind"
        label={texts.kind}
        choices={possible.map(value => ({ value, label: texts.kinds[value], hint: texts.hints[value] }))}
      />
      {kind === 'refund' && <p className="text-14">{refund}</p>}
      {kind === 'mark-paid' && (
        <TextField
          name="paymentId"
          label={texts.paymentId.label}
          hint={texts.paymentId.hint}
          maxLength={200}
        />
      )}
      {kind === 'pay-again' && direction === 'withdrawal' && <AccountFields />}
      <TextAreaField name="reason" label={texts.reason.label} hint={texts.reason.hint} maxLength={500} />
      <Button type="submit" pending={form.pending}>
        {kind ? texts.kinds[kind] : texts.send}
      </Button>
    </FormShell>
  )
}
