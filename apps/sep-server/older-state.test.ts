import { type Keypair, Memo } from '@stellar/stellar-sdk/base'
import { copyDatabase } from '@windlass/testing/database.ts'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startRunningAnchor, type RunningAnchor } from './testing/running-anchor.ts'
import { agreedDeposit, agreedWithdrawal, payOverRail } from './testing/transfers.ts'
import {
  balanceOf,
  fundedWallet,
  give,
  openTrustline,
  payAnchor,
  registerWallet,
  until,
} from './testing/wallet.ts'

let running: RunningAnchor
beforeAll(async () => {
  running = await startRunningAnchor()
})
afterAll(() => running.stop())

async function customer(): Promise<Keypair> {
  const key = await fundedWallet(running)
  registerWallet(running, key)
  await openTrustline(running, key)
  await give(running, key, '100')
  return key
}

/** Both servers are gone, and their database is set back to a copy; then they start again. */
async function restore(copy: string): Promise<void> {
  await Promise.all([running.kill('sep'), running.kill('business')])
  const url = new URL(running.database.url)
  const name = url.pathname.slice(1)
  const superuser = new pg.Client({
    connectionString: Object.assign(new URL(url), { pathname: '/postgres' }).href,
  })
  await superuser.connect()
  await superuser.query(`drop database ${name} with (force)`)
  await superuser.query(`create database ${name} template ${copy} strategy file_copy`)
  await superuser.query(`alter database ${name} set windlass.restored_at = '${new Date().toISOString()}'`)
  await superuser.end()
  await running.start('business')
  await running.start('sep')
}

const openIncidents = () =>
  running.query<{ kind: string; details: { deposit?: string; amount: string } }>(
    'select kind, details from business.ledger_incidents where resolved_at is null order by found_at',
  )

async function journalAgrees(): Promise<boolean> {
  const [row] = await running.query<{ treasury: string }>(
    "select sum(amount)::text as treasury from business.journal_lines where account = 'treasury' and unit = 'asset'",
  )
  return row?.treasury === (await balanceOf(running, running.anchor.accounts.distribution))
}

// Part of `npm run test:faults`.
describe.runIf(process.env.MODE === 'faults')('an anchor whose database was lost and restored', () => {
  it('agrees with the ledger, pays nothing twice, and names what is lost', async () => {
    const key = await customer()
    const balance = () => balanceOf(running, key.publicKey())
    const known = await agreedDeposit(running, key, '10')
    const withdrawal = await agreedWithdrawal(running, key, '20')
    const copy = await copyDatabase(running.database)

    await payOverRail(running, known.id)
    await known.becomes('completed', 60)
    await payAnchor(running, key, '20', Memo.id(withdrawal.memo))
    await withdrawal.becomes('completed', 60)
    const lost = await agreedDeposit(running, key, '7')
    await payOverRail(running, lost.id)
    await lost.becomes('completed', 60)
    const lostWithdrawal = await agreedWithdrawal(running, key, '3')
    await payAnchor(running, key, '3', Memo.id(lostWithdrawal.memo))
    await lostWithdrawal.becomes('completed', 60)
    const before = await balance()
    expect(before).toBe('94.0000000')

    await restore(new URL(copy.url).pathname.slice(1))
    await copy.drop()
    await withdrawal.becomes('completed', 60)
    const incidents = await until('what is lost is named', async () => {
      const found = await openIncidents()
      return found.length === 3 && found
    })
    expect(incidents.map(({ kind, details }) => [kind, Number(details.amount)]).sort()).toEqual([
      ['held-receipt', 3],
      ['unrecorded-payment', 10],
      ['unrecorded-payment', 7],
    ])
    expect(incidents.flatMap(({ details }) => details.deposit ?? [])).toEqual([known.id])
    expect(await balance()).toBe(before)
    await until('the journal agrees', journalAgrees)

    await payOverRail(running, known.id)
    await known.becomes('completed', 60)
    expect(await openIncidents()).toHaveLength(2)
    expect(await balance()).toBe(before)
    await until('the journal agrees', journalAgrees)
  }, 300_000)
})
