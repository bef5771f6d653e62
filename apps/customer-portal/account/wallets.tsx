import { codeOf, describeError, failedAs, fieldErrorsOf } from '@windlass/ui/console/errors.ts'
import {
  challengeWallet,
  linkWallet,
  listWallets,
  proveWallet,
  unlinkWallet,
  type Wallet,
} from '@windlass/contracts/platform/customers.ts'
import type { AnswerOf } from '@windlass/contracts/endpoint.ts'
import { useMutation, useQuery } from '@tanstack/react-query'
import { ConfirmPanel } from '@windlass/ui/console/confirm-panel.tsx'
import { Button, buttonLook } from '@windlass/ui/button.tsx'
import { CopyButton, Identifier } from '@windlass/ui/copy-button.tsx'
import { Bar } from '@windlass/ui/bar.tsx'
import { DataScreen, Empty, ErrorNotice } from '@windlass/ui/data-screen.tsx'
import { TextAreaField, TextField } from '@windlass/ui/field.tsx'
import { FormActions, FormShell, useForm } from '@windlass/ui/form.tsx'
import { shorten } from '@windlass/ui/formats.ts'
import { hasFreighter, signWithFreighter } from '@windlass/ui/freighter.ts'
import { QrCode } from '@windlass/ui/qr-code.tsx'
import { Status } from '@windlass/ui/notice.tsx'
import { Fact, Facts, PageHeading, Panel } from '@windlass/ui/page.tsx'
import { SidePanel } from '@windlass/ui/side-panel.tsx'
import { Table, type Column } from '@windlass/ui/table.tsx'
import { useEffect, useState } from 'react'
import { call, all, query, refresh } from '../api.ts'
import { shell } from '../texts.ts'
import { AnchorAccounts } from './anchor-accounts.tsx'
import { wallets as texts } from './texts.ts'

const walletsQuery = all(listWallets)

type Action = { kind: 'prove' | 'unlink'; wallet: Wallet }

const nameOf = ({ label, address }: Wallet) => label || shorten(address)
const refreshWallets = () => refresh(listWallets)

/** The linked wallets: link one, prove it, unlink it. */
export function Component() {
  const wallets = useQuery(walletsQuery)
  const [action, setAction] = useState<Action>()
  const close = () => setAction(undefined)
  return (
    <div className="mx-auto w-full max-w-[1120px] flex-1 space-y-8 px-4 py-8 sm:px-6 sm:py-12">
      <PageHeading title={texts.title} product={shell.product} lead={texts.lead} />
      <AnchorAccounts />
      <DataScreen
        query={wallets}
        explain={describeError}
        skeleton={<Bar className="h-32" />}
        isEmpty={rows => rows.length === 0}
        empty={<Empty title={texts.empty.title}>{texts.empty.detail}</Empty>}
      >
        {rows => (
          <Table caption={texts.title} columns={columnsOf(setAction)} rows={rows} keyOf={row => row.id} />
        )}
      </DataScreen>
      <LinkWallet />
      {action?.kind === 'prove' && <ProveWallet wallet={action.wallet} onClose={close} />}
      {action?.kind === 'unlink' && <UnlinkWallet wallet={action.wallet} onClose={close} />}
    </div>
  )
}

const columnsOf = (setAction: (action: Action) => void): Column<Wallet>[] => [
  {
    head: texts.columns.address,
    cell: row => <Identifier value={row.address} what={texts.columns.address.toLowerCase()} />,
  },
  { head: texts.columns.label, className: 'text-soft wrap-anywhere', value: row => row.label },
  { head: texts.columns.network, className: 'text-soft', value: row => row.network },
  {
    head: texts.columns.status,
    cell: row =>
      row.verified ? (
        <Status tone="good">{texts.proven}</Status>
      ) : (
        <Status tone="neutral">{texts.unproven}</Status>
      ),
  },
  {
    head: texts.columns.actions,
    className: 'text-right whitespace-nowrap',
    cell: wallet => (
      <>
        {!wallet.verified && (
          <Button
            look="quiet"
            aria-label={texts.prove.actionOf(nameOf(wallet))}
            onClick={() => setAction({ kind: 'prove', wallet })}
          >
            {texts.prove.action}
          </Button>
        )}
        <Button
          look="quietDanger"
          aria-label={texts.unlink.actionOf(nameOf(wallet))}
          onClick={() => setAction({ kind: 'unlink', wallet })}
        >
          {texts.unlink.action}
        </Button>
      </>
    ),
  },
]

function LinkWallet() {
  // Each linked wallet starts the form again.
  const [linked, setLinked] = useState(0)
  return <LinkForm key={linked} onLinked={() => setLinked(linked + 1)} />
}

function LinkForm({ onLinked }: { onLinked(): void }) {
  const form = useForm({
    initial: { address: '', label: '' },
    check: ({ address }) => {
      if (address === '') return { address: texts.link.addressMissing }
      return /^[A-Z2-7]{56}$/.test(address) ? {} : { address: texts.link.addressWrong }
    },
    send: async ({ address, label }) => {
      const body = { address, ...(label.trim() ? { label: label.trim() } : {}) }
      await call(linkWallet, { body })
      await refreshWallets()
      onLinked()
    },
    explain: error => {
      const errors = fieldErrorsOf(error)
      const failure = describeError(error)
      if (codeOf(error) === 'wallet-taken' || codeOf(error) === 'wallet-already-linked') {
        return { errors: { address: failure.detail } }
      }
      return Object.keys(errors).length > 0
        ? { errors }
        : { failure: { ...failure, title: texts.link.failed } }
    },
  })
  return (
    <Panel className="max-w-[680px] p-4 sm:p-5">
      <h2 className="mb-4 text-18 font-semibold">{texts.link.title}</h2>
      <FormShell form={form} className="space-y-4">
        <TextField
          name="address"
          label={texts.link.address}
          hint={texts.link.addressHint}
          autoComplete="off"
          spellCheck={false}
          maxLength={80}
          clean={text => text.trim().toUpperCase()}
          className="font-mono"
        />
        <TextField
          name="label"
          label={texts.link.label}
          hint={texts.link.labelHint}
          optional
          maxLength={64}
        />
        <Button type="submit" look="primary" pending={form.pending}>
          {texts.link.submit}
        </Button>
      </FormShell>
    </Panel>
  )
}

interface WalletFormProps {
  wallet: Wallet
  onClose(): void
}

function ProveWallet({ wallet, onClose }: WalletFormProps) {
  const challenge = useQuery(
    query(challengeWallet, { params: { id: wallet.id } }, { staleTime: Infinity, gcTime: 0 }),
  )
  const form = useForm({
    initial: { transaction: '' },
    check: ({ transaction }) => (transaction.trim() === '' ? { transaction: texts.prove.signedMissing } : {}),
    send: async ({ transaction }) => {
      await call(proveWallet, { params: { id: wallet.id }, body: { transaction: transaction.trim() } })
      await refreshWallets()
      onClose()
    },
    explain: failedAs(texts.prove.failed),
  })
  const freighter = useQuery({ queryKey: ['freighter'], queryFn: hasFreighter, staleTime: Infinity }).data
  const signing = useMutation({
    mutationFn: async (asked: { transaction: string; networkPassphrase: string }) => {
      const signed = await signWithFreighter(asked.transaction, asked.networkPassphrase, wallet.address)
      form.set('transaction', signed)
      await call(proveWallet, { params: { id: wallet.id }, body: { transaction: signed } })
      await refreshWallets()
      onClose()
    },
  })
  // A wallet that signs by the link or the code sends the proof itself.
  const proven = useQuery({ ...walletsQuery, refetchInterval: 3_000 }).data?.find(
    ({ id }) => id === wallet.id,
  )
  useEffect(() => {
    if (proven?.verified && !wallet.verified) onClose()
  }, [proven?.verified, wallet.verified, onClose])
  return (
    <SidePanel open onClose={onClose} title={texts.prove.title}>
      <DataScreen query={challenge} explain={describeError} skeleton={<Bar className="h-40" />}>
        {({ transaction, networkPassphrase, link, qr }) => (
          <div className="space-y-6">
            <Sep7 link={link} qr={qr} />
            {freighter && (
              <Button
                pending={signing.isPending}
                onClick={() => signing.mutate({ transaction, networkPassphrase })}
              >
                {texts.prove.freighter}
              </Button>
            )}
            {signing.error && (
              <ErrorNotice
                failure={{ kind: 'refused', title: texts.prove.failed, detail: signing.error.message }}
              />
            )}
            <p className="text-14">{texts.prove.sign}</p>
            <Facts>
              <Fact name={texts.prove.passphrase}>{networkPassphrase}</Fact>
            </Facts>
            <div className="space-y-2">
              <h3 className="text-14 font-medium">{texts.prove.transaction}</h3>
              <code
                className="block max-h-40 overflow-y-auto rounded-6 bg-sunken p-2 font-mono text-13 break-all"
                tabIndex={0}
              >
                {transaction}
              </code>
              <CopyButton value={transaction} what={texts.prove.transactionCopy} />
            </div>
            <FormShell form={form}>
              <TextAreaField name="transaction" label={texts.prove.signed} rows={4} spellCheck={false} />
              <FormActions onCancel={onClose}>
                <Button type="submit" look="primary" pending={form.pending}>
                  {texts.prove.submit}
                </Button>
              </FormActions>
            </FormShell>
          </div>
        )}
      </DataScreen>
    </SidePanel>
  )
}

/** A link for a wallet on this device, and a code for one on another. */
function Sep7({ link, qr }: Pick<AnswerOf<typeof challengeWallet>, 'link' | 'qr'>) {
  return (
    <div className="flex flex-wrap items-center gap-5">
      <QrCode {...qr} label={texts.prove.scan} />
      <div className="min-w-0 flex-1 basis-48 space-y-3 text-14">
        <p>{texts.prove.scan}</p>
        <a href={link} className={buttonLook('primary')}>
          {texts.prove.openWallet}
        </a>
      </div>
    </div>
  )
}

function UnlinkWallet({ wallet, onClose }: WalletFormProps) {
  return (
    <ConfirmPanel
      title={texts.unlink.title}
      lead={
        <>
          <p className="mb-2 font-medium">{nameOf(wallet)}</p>
          <p className="mb-6 text-14 text-soft">{texts.unlink.lead}</p>
        </>
      }
      send={texts.unlink.submit}
      look="danger"
      act={async () => {
        await call(unlinkWallet, { params: { id: wallet.id } })
        await refreshWallets()
        onClose()
      }}
      explain={failedAs(texts.unlink.failed)}
      onClose={onClose}
    />
  )
}
