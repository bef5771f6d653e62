import {
  getTestDeposit,
  startTestDeposit,
  type TestDeposit,
} from '@windlass/contracts/platform/test-deposits.ts'
import { useMutation } from '@tanstack/react-query'
import { queries } from '../../queries.ts'
import { operator } from '../../session.ts'

export const isUnderWay = (deposit: TestDeposit | null | undefined): boolean =>
  deposit?.state === 'waiting' || deposit?.state === 'running'

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
