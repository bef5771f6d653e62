import { troubleOf } from '@windlass/client/trouble.ts'
import type { Workspace } from '@windlass/contracts/workspaces.ts'
import { getWorkspaceTreasury } from '@windlass/contracts/workspace-records.ts'
import { useQuery } from '@tanstack/react-query'
import { formatAmount } from '@windlass/ui/formats.ts'
import { Panel } from '@windlass/ui/page.tsx'
import { operator } from '../operator.ts'
import { workspace } from '../texts/workspace.ts'

const texts = workspace.treasury

/** What the anchor can pay out now, of what it holds and of what was issued. */
export function Treasury({ anchor }: { anchor: Workspace }) {
  const { id: anchorId, asset } = anchor
  const told = useQuery({
    queryKey: ['operator', 'treasury', anchorId],
    queryFn: ({ signal }) => operator.call(getWorkspaceTreasury, { params: { anchorId }, signal }),
    refetchInterval: 15_000,
  })
  const held = told.data?.assets.find(({ code }) => code === asset.code)
  const units = (amount: string) => `${formatAmount(amount)} ${asset.code}`
  return (
    <Panel className="space-y-2 px-4 py-4 sm:px-5">
      <h2 className="font-semibold">{texts.title}</h2>
      {told.error && !told.data && <p className="text-14 text-soft">{troubleOf(told.error).detail}</p>}
      {told.data && held && (
        <>
          <p className="text-18 font-semibold tabular">{units(told.data.treasury_capacity)}</p>
          <Gauge capacity={told.data.treasury_capacity} reserved={held.reserved} issued={asset.issued} />
          <p className="text-13 text-soft tabular">
            {texts.of(units(held.balance), units(held.reserved), units(asset.issued))}
          </p>
        </>
      )}
    </Panel>
  )
}

/** Of all that was issued: what can be paid out, and what is held back. For the eye only, so floats will do. */
function Gauge({ capacity, reserved, issued }: { capacity: string; reserved: string; issued: string }) {
  const share = (amount: string) => Math.min(100, (100 * Number(amount)) / Number(issued))
  return (
    <svg
      viewBox="0 0 100 1"
      preserveAspectRatio="none"
      aria-hidden="true"
      className="h-2 w-full rounded-full bg-hover"
    >
      <rect width={share(capacity)} height="1" className="fill-accent" />
      <rect x={share(capacity)} width={share(reserved)} height="1" className="fill-warn" />
    </svg>
  )
}
