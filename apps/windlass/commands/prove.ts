import { NotProven, proveTransaction } from '@windlass/stellar/archive/prove.ts'
import { historyIn } from '@windlass/stellar/archive/settings.ts'
import { ledgerOf } from '@windlass/stellar/check-answers.ts'
import { createHorizon } from '@windlass/stellar/horizon.ts'
import { ledgerIn } from '@windlass/stellar/network.ts'
import { type Command, printJson, readOptions, UsageError } from '../command.ts'
import { readLock } from '../run-files.ts'

export const prove: Command = {
  summary: 'proves that a transaction is on the ledger, by the signatures of validators',
  usage: `npm run prove -- <hash> [--ledger <number>] [--json]

Reads the history archives of HISTORY_ARCHIVES, and prints which organizations of VALIDATORS signed the transaction and
its result. Horizon says in which ledger it is, unless --ledger does; nothing else of what Horizon says counts.
Archives are up to six minutes behind.
  --json  prints the whole proof: headers, messages of validators, envelope and result
Exit codes: 0 it is proven, 1 it is not.`,
  run: async ({ args, environment, home, progress }) => {
    const { flags, values, words } = readOptions(args, ['json'], ['ledger'], 1)
    const [hash = ''] = words
    if (!/^[0-9a-f]{64}$/.test(hash))
      throw new UsageError('Name the hash of a transaction: 64 hexadecimal digits.')
    const variables = { ...(await readLock(home.run))?.variables, ...environment }
    const source = ledgerIn(variables)
    const history = historyIn(variables, source.passphrase)
    if (!history) throw new UsageError('HISTORY_ARCHIVES is not set, and this network has no known archives.')
    const ledger = values.ledger[0] ? Number(values.ledger[0]) : await findLedger(source, hash)
    if (!ledger) {
      progress.fail('Horizon has no such transaction. Name its ledger with --ledger.')
      return 1
    }
    try {
      const proof = await proveTransaction(history, { hash, ledger })
      if (flags.json) printJson(progress, proof)
      else {
        progress.done('proven', `ledger ${proof.ledger}, closed at ${proof.closedAt}`)
        progress.plain(`The transaction ${proof.successful ? 'succeeded' : 'failed'}.`)
        progress.plain(
          `Signed with ledger ${proof.signedLedger} by validators of ${proof.signedBy.join(', ')}.`,
        )
      }
      return 0
    } catch (error) {
      if (!(error instanceof NotProven)) throw error
      progress.fail(`${error.why}: ${error.message}`)
      return 1
    }
  },
}

async function findLedger(source: ReturnType<typeof ledgerIn>, hash: string): Promise<number | null> {
  const found = await createHorizon(source, 'person').transaction(hash)
  return found?.cursor === undefined ? null : ledgerOf(found.cursor)
}
