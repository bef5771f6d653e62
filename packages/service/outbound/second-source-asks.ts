import { unavailable } from '../http/problem.ts'
import { createMemoryRate } from '../http/rates.ts'

/** In a minute of one process: most of what a second source of the ledger answers is for money. */
const ASKED_A_MINUTE = 120
const ASKED_OF_ACCOUNT_A_MINUTE = 10

/** Bounds what people whom nobody knows have the second source of the ledger asked. */
export interface SecondSourceAsks {
  /** Takes one question about an account. Throws `dependency-unavailable` where none is left. */
  demand(account: string): Promise<void>
}

/** @param factor how many times as many there may be, as on a developer's machine */
export function createSecondSourceAsks(factor = 1): SecondSourceAsks {
  const ofAccount = createMemoryRate('second-source-account', ASKED_OF_ACCOUNT_A_MINUTE * factor, 60)
  const ofAll = createMemoryRate('second-source', ASKED_A_MINUTE * factor, 60)
  return {
    async demand(account) {
      const wait = (await ofAccount.take(account)) ?? (await ofAll.take('all'))
      if (wait !== null) throw unavailable('The second source of the ledger', undefined, wait)
    },
  }
}
