import { describeError } from './errors.ts'
import type { SecondFactors } from '@windlass/contracts/platform/second-factors.ts'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState, type ReactNode } from 'react'
import { Button } from '../button.tsx'
import { Bar } from '../bar.tsx'
import { DataScreen, ErrorNotice } from '../data-screen.tsx'
import { formatDateTime } from '../formats.ts'
import { SectionHeading } from '../page.tsx'
import { SidePanel } from '../side-panel.tsx'
import { AddAppForm, AddPasskeyForm, RecoveryCodes } from './add-second-factor.tsx'
import type { SecondFactorApi } from './second-factor-api.ts'
import { secondFactorTexts } from './second-factor-texts.ts'

const texts = secondFactorTexts.settings

type Action =
  | { kind: 'add-passkey' | 'add-app' | 'replace-codes' }
  | { kind: 'codes'; codes: string[] }
  | { kind: 'remove'; name: string; remove(): Promise<unknown> }

/** The person's second factors on their account page. */
export function SecondFactorSettings({ api }: { api: SecondFactorApi }) {
  const client = useQueryClient()
  const queryKey = ['second-factor', 'list']
  const factors = useQuery({ queryKey, queryFn: ({ signal }) => api.list(signal) })
  const [action, setAction] = useState<Action>()
  const close = () => setAction(undefined)
  const changed = (codes?: string[]): void => {
    void client.invalidateQueries({ queryKey: ['second-factor'] })
    setAction(codes && { kind: 'codes', codes })
  }
  return (
    <section className="space-y-3">
      <SectionHeading
        title={texts.title}
        lead={texts.lead}
        actions={
          <div className="flex flex-wrap gap-2">
            <Button look="primary" onClick={() => setAction({ kind: 'add-passkey' })}>
              {secondFactorTexts.passkey.add}
            </Button>
            {factors.data?.authenticatorApp === null && (
              <Button onClick={() => setAction({ kind: 'add-app' })}>{secondFactorTexts.app.add}</Button>
            )}
          </div>
        }
      />
      <DataScreen query={factors} explain={describeError} skeleton={<Bar className="h-12" />}>
        {list => <FactorList list={list} api={api} onAction={setAction} />}
      </DataScreen>
      {action && <ActionPanel action={action} api={api} onDone={changed} onClose={close} />}
    </section>
  )
}

interface FactorListProps {
  list: SecondFactors
  api: SecondFactorApi
  onAction(action: Action): void
}

function FactorList({ list, api, onAction }: FactorListProps) {
  const { passkeys, authenticatorApp, recoveryCodesLeft } = list
  if (passkeys.length === 0 && !authenticatorApp) return <p className="text-14 text-soft">{texts.none}</p>
  const remove = (name: string, act: () => Promise<unknown>) => (
    <Button
      look="quietDanger"
      aria-label={texts.removeWhat(name)}
      onClick={() => onAction({ kind: 'remove', name, remove: act })}
    >
      {texts.remove}
    </Button>
  )
  const appName = secondFactorTexts.app.name
  return (
    <ul className="divide-y divide-line rounded-8 border border-line bg-surface">
      {passkeys.map(passkey => (
        <Row key={passkey.id} name={passkey.name} times={passkey}>
          {remove(passkey.name, () => api.removePasskey(passkey.id))}
        </Row>
      ))}
      {authenticatorApp && (
        <Row name={appName} times={authenticatorApp}>
          {remove(appName, () => api.removeApp())}
        </Row>
      )}
      <Row name={texts.recoveryCodes(recoveryCodesLeft)}>
        <Button look="quiet" onClick={() => onAction({ kind: 'replace-codes' })}>
          {texts.replace}
        </Button>
      </Row>
    </ul>
  )
}

interface RowProps {
  name: string
  times?: { createdAt: string; lastUsedAt: string | null }
  children: ReactNode
}

function Row({ name, times, children }: RowProps) {
  return (
    <li className="flex flex-wrap items-center gap-x-4 gap-y-1 px-4 py-2.5 text-14">
      <span className="font-medium wrap-anywhere">{name}</span>
      {times && (
        <span className="text-soft">
          {texts.added(formatDateTime(times.createdAt))} ·{' '}
          {times.lastUsedAt ? texts.used(formatDateTime(times.lastUsedAt)) : texts.neverUsed}
        </span>
      )}
      <span className="ml-auto">{children}</span>
    </li>
  )
}

interface ActionPanelProps {
  action: Action
  api: SecondFactorApi
  onDone(codes?: string[]): void
  onClose(): void
}

function ActionPanel({ action, api, onDone, onClose }: ActionPanelProps) {
  switch (action.kind) {
    case 'add-passkey':
      return (
        <SidePanel open onClose={onClose} title={secondFactorTexts.passkey.addTitle}>
          <AddPasskeyForm api={api} onAdded={onDone} />
        </SidePanel>
      )
    case 'add-app':
      return (
        <SidePanel open onClose={onClose} title={secondFactorTexts.app.addTitle}>
          <AddAppForm api={api} onAdded={onDone} />
        </SidePanel>
      )
    case 'codes':
      return (
        <SidePanel open onClose={onClose} title={secondFactorTexts.codes.title}>
          <RecoveryCodes codes={action.codes} onSaved={() => onDone()} />
        </SidePanel>
      )
    case 'replace-codes':
      return (
        <ActPanel
          title={texts.replaceTitle}
          lead={texts.replaceLead}
          label={texts.replace}
          act={async () => onDone(await api.replaceRecoveryCodes())}
          onClose={onClose}
        />
      )
    case 'remove':
      return (
        <ActPanel
          danger
          title={texts.removeTitle(action.name)}
          lead={texts.removeLead}
          label={texts.remove}
          act={async () => {
            await action.remove()
            onDone()
          }}
          onClose={onClose}
        />
      )
  }
}

interface ActPanelProps {
  title: string
  lead: string
  label: string
  danger?: boolean
  act(): Promise<void>
  onClose(): void
}

function ActPanel({ title, lead, label, danger, act, onClose }: ActPanelProps) {
  const mutation = useMutation({ mutationFn: act })
  return (
    <SidePanel open onClose={onClose} title={title}>
      <div className="space-y-4">
        <p className="text-14 text-soft">{lead}</p>
        {mutation.error && (
          <ErrorNotice failure={{ ...describeError(mutation.error), title: texts.failed }} />
        )}
        <Button
          look={danger ? 'danger' : 'primary'}
          pending={mutation.isPending}
          onClick={() => mutation.mutate()}
        >
          {label}
        </Button>
      </div>
    </SidePanel>
  )
}
