import {
  listWorkspaceCustomers,
  listWorkspaceTransactions,
} from '@windlass/contracts/platform/workspace-records.ts'
import type { Workspace } from '@windlass/contracts/platform/workspaces.ts'
import { useQuery } from '@tanstack/react-query'
import { CommandPalette } from '@windlass/ui/console/command-palette.tsx'
import { formatAmount, formatDateTime } from '@windlass/ui/formats.ts'
import { paths } from '../paths.ts'
import { operator, profileQuery } from '../session.ts'
import { assetNameOf } from './assets.ts'
import { workspace as texts } from './texts.ts'
import { pagesOf } from './workspace-pages.ts'

interface WorkspacePaletteProps {
  workspace: Workspace
  onClose(): void
}

const MOST_FOUND = 6

/** The pages of this workspace, the operator's other anchors and the account. */
export default function WorkspacePalette({ workspace, onClose }: WorkspacePaletteProps) {
  const { id: anchorId, role } = workspace
  const organizations = useQuery(profileQuery).data?.organizations ?? []
  const others = organizations.flatMap(({ anchors }) => anchors).filter(({ id }) => id !== anchorId)
  const commands = [
    ...pagesOf(role).map(page => ({
      group: texts.palette.page,
      label: texts.tabs[page || 'overview'],
      to: paths.workspace(anchorId, page),
    })),
    ...others.map(({ id, homeDomain }) => ({
      group: texts.palette.anchor,
      label: homeDomain,
      to: paths.workspace(id),
    })),
    { group: texts.palette.page, label: texts.all, to: paths.workspaces() },
  ]
  const amountOf = (amount: string | null, asset?: { code: string; issuer: string }) =>
    amount && `${formatAmount(amount)} ${assetNameOf(workspace, asset)}`
  const search = async (text: string, signal: AbortSignal) => {
    const asked = { params: { anchorId }, query: { text, limit: MOST_FOUND }, signal }
    const [customers, transactions] = await Promise.all([
      operator.call(listWorkspaceCustomers, asked),
      operator.call(listWorkspaceTransactions, asked),
    ])
    return [
      ...customers.map(({ id, name, account }) => ({
        group: texts.palette.customer,
        label: name ?? account,
        to: paths.workspace(anchorId, 'customers', { open: id }),
      })),
      ...transactions.map(({ id, kind, amount, asset, reference, customer, createdAt }) => ({
        group: texts.palette.transaction,
        label: [
          reference,
          texts.palette.kinds[kind],
          amountOf(amount, asset),
          customer?.name,
          formatDateTime(createdAt),
        ]
          .filter(Boolean)
          .join(' · '),
        to: paths.workspace(anchorId, 'transactions', { open: id }),
      })),
    ]
  }
  return <CommandPalette commands={commands} search={search} onClose={onClose} />
}
