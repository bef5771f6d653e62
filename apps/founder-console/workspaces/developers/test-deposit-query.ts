import {
  getTestDeposit,
  startTestDeposit,
  type TestDeposit,
} from '@windlass/contracts/platform/test-deposits.ts'
import { getWorkspaceTreasury } from '@windlass/contracts/platform/workspace-records.ts'
import { useMutation, useQuery } from '@tanstack/react-query'
import { queries } from '../../queries.ts'
import { operator } from '../../session.ts'

export const isUnderWay = (deposit: TestDeposit | null | undefined): boolean =>
  deposit?.state === 'waiting' || deposit?.state === 'running'

/** Whether one can be run: where nothing is real, over a simulated rail that has a price. Undefined: not known yet. */
export function useCanTestDeposit(anchorId: string): boolean | undefined {
  const found = useQuery(testDepositQuery(anchorId)).data
  const rails = useQuery(operator.query(getWorkspaceTreasury, { params: { anchorId } })).data?.rails
  return found && rails && found.available && rails.some(({ simulated, rate }) => simulated && rate !== null)
}

/** Polled closely while a deposit is under way. */
export const testDepositQuery = (anchorId: string) =>
  operator.query(
    getTestDeposit,
    { params: { anchorId } },
    { refetchInterval: ({ state }) => (isUnderWay(state.data?.latest) ? 1_000 : false) },
  )

export function useStartTestDeposit(anchorId: string) {
  return useMutation({
    mutationFn: () => operator.call(startTestDeposit, { params: { anchorId } }),
    onSuccess: latest =>
      queries.setQueryData(testDepositQuery(anchorId).queryKey, { latest, available: true }),
  })
}
